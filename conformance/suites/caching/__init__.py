"""Checks of compilation caching: files, tokens, life cycle, tampering."""
