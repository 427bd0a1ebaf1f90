"""Suites, one package per subject: its checks and what they need side by side."""
