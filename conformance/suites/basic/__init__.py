"""Checks of a device's description of itself, of the form of its answers, and of the simplest models."""
