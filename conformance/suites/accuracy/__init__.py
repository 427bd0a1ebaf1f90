"""Accuracy of single operations."""
