"""Checks of vendor extensions: their listing, operations and attributes.

``attributes.py`` has hints, types and prefixes, ``operations.py`` wrong uses of an extension's operations.
"""
