"""RandomGraphs: random models that CTS does not have, made and judged like those that it has."""

from __future__ import annotations

from typing import Final

from nnvet.conformance.suites.random_graphs.checks import register
from nnvet.generators.random_graphs.named import single_tests
from nnvet.oracle.random_graphs import criteria_of

SUITE: Final = "RandomGraphs"
_USUAL_SEEDS: Final = 1

for _single in single_tests(in_cts=False):
    register(
        SUITE,
        f"SingleOperationTest.{_single.operation}",
        _single,
        criteria_of(_single.operation),
        _USUAL_SEEDS,
    )
