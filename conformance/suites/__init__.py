"""Suites of checks, with one package for each subject.

The docstring of a check states what it expects of a driver; ``nnvet explain`` shows it. Helpers of several checks are
in the package beside them, those of several packages in :mod:`nnvet.conformance.kit`.
"""
