"""Suites of checks, with one package or module for each subject; the functions with ``@check`` are the checks.

``kit.checks.checks`` imports all modules here, so a new check needs no list. The docstring of a check states what it
expects of a driver; ``nnvet explain`` shows it. Helpers of several checks are in the package beside them, those of
several packages in :mod:`nnvet.conformance.kit`.
"""
