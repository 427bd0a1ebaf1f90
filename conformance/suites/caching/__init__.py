"""Compilation caching: files, tokens, life cycle, tampering."""
