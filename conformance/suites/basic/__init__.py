"""What a device says of itself, how it answers, and the simplest models on it."""
