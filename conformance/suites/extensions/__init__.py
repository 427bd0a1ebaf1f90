"""Vendor extensions: listing, operations, attributes."""
