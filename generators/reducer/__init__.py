"""Reducer of failing tests: finds a smaller graph, shapes, values and attributes that still fail in the same manner.

The reducer needs a test, a function that runs a test and returns the failure, and the identity of the failure that has
to stay. It returns the smallest test found, with the oracle's expected outputs, and the number of executions. ::

    found = reduce(test, fails, identity, executions=200)
    found.test, found.ended, fingerprint(found.identity, found.test)

``fails`` is called with valid models only, once each. :mod:`~nnvet.generators.reducer.reducing` lists the passes.
"""

from nnvet.generators.reducer.reducing import Reduction, reduce
from nnvet.generators.reducer.search import Ending, Identity, ReductionStep, fingerprint

__all__ = ["Ending", "Identity", "Reduction", "ReductionStep", "fingerprint", "reduce"]
