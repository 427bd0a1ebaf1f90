"""Soak test of the suite: hours of work, in which memory, descriptors and threads must not grow."""
