"""Checks of compilation caching: files, tokens, life cycle, tampering.

``networks.py`` has the models, ``fixtures.py`` saves them and prepares from the files, the other modules have the
checks.
"""
