"""Checks of vendor extensions: their listing, operations and attributes."""
