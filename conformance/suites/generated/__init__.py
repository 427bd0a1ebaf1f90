"""Suites that run over spec cases: executors, output forms, memory types, signed twins.

Source: docs/contract/vts-tests.md 7.
"""
