"""Suites that run over spec cases: executors, output forms, memory types, signed twins.

``table.py`` lists the suites, ``cases.py`` makes them into checks, ``consistency.py`` compares the executors of a
driver.

Source: docs/contract/vts-tests.md 7.
"""
