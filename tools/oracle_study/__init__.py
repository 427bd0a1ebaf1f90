"""Study of the oracle: it has to find planted numeric errors, and must not blame honest (correct) drivers.

Both are ways of finding the results of an operation (:data:`nnvet.oracle.execution.Compute`) that differ from its
meaning: ``honest`` has the ways that a correct driver may choose, ``faults`` has wrong ways, ``study`` counts.
Start: ``python -m tools.oracle_study``; docs/oracle.md shows the figures.
"""
