"""Any failing test made small: the least graph, shapes, values and attributes with which it still fails alike.

What to pass: a test, a function that runs a test and says what fails, and the identity that has to stay. What comes
back: the least test found, with the expected outputs of the oracle, and how many executions that took. ::

    found = reduce(test, fails, identity, executions=200)
    found.test, found.ended, fingerprint(found.identity, found.test)

``fails`` sees valid models alone, each once. :mod:`~nnvet.generators.reducer.reducing` lists what is tried.
"""

from nnvet.generators.reducer.reducing import Reduction, reduce
from nnvet.generators.reducer.search import Ending, Identity, ReductionStep, fingerprint

__all__ = ["Ending", "Identity", "Reduction", "ReductionStep", "fingerprint", "reduce"]
