"""Releases of runtimes: lists those of an index, installs each in its own environment, and runs reproducers there."""
