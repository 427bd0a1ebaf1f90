"""Many calls and many clients at once, and what they leave behind."""
