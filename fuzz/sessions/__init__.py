"""Harnesses of everything that a client sends besides models and requests: burst packets, cache files, and frames."""
