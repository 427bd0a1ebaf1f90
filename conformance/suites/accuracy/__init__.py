"""Checks of the accuracy of single operations."""
