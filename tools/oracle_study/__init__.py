"""Study of the oracle: planted numeric errors that it has to find, honest drivers that it must not blame.

Both are ways of finding the results of an operation (:data:`nnvet.oracle.execution.Compute`) that differ from its
meaning: ``honest`` has those that a driver may choose, ``faults`` has the others, ``study`` counts.
"""
