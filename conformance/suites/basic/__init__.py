"""A device's description of itself, its answers, and the simplest models on it."""
