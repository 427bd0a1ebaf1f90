"""A seed stands for one model of mixed types, on every machine and in every version: the recorded digests say so.

A generator that changes them on purpose needs new digests, which ``python -m tests.generators.test_seeded_models``
prints.
"""

import hashlib
from collections.abc import Callable
from functools import partial

import pytest

from nnvet.conformance.suites.random_models import RandomCase
from nnvet.generators.random_graphs.named import MIXED_TESTS
from nnvet.graphs.model import TestModel
from tests.generators.test_named_models import DIGITS, serialised

SEEDS = 20


def of_options(options: str, seed: int) -> TestModel:
    """The model of a case of RandomModels."""
    return RandomCase(options, seed).make()


MADE: dict[str, Callable[[int], TestModel]] = {
    **{
        text: partial(of_options, text)
        for text in (
            "default",
            "remembered=0",
            "operations=60-60",
            "operations=1-3",
            "boundaries=1.0",
            "types=float32+float16,relaxed=1.0",
            "dimensions=1-100,elements=5000",
            "level=3,unknown=0.5",
        )
    },
    **{test.name: test.make for test in MIXED_TESTS},
}
"""Series of models by name: RandomModels of some options, and its named graphs."""


def digest(name: str) -> str:
    """The first models of a series, in brief."""
    whole = hashlib.sha256()
    for seed in range(SEEDS):
        whole.update("\n".join(serialised(MADE[name](seed))).encode())
    return whole.hexdigest()[:DIGITS]


RECORDED = {
    "default": "a0ae39a3a53abd75",
    "remembered=0": "4d390ebd68508d6d",
    "operations=60-60": "34c0807427081a6e",
    "operations=1-3": "42b6f54c1b300087",
    "boundaries=1.0": "77f98c93e8a40176",
    "types=float32+float16,relaxed=1.0": "4147ffaeb7f099a5",
    "dimensions=1-100,elements=5000": "e2a60b2850207aa5",
    "level=3,unknown=0.5": "73a16238ed0ce0b0",
    "MixedGraph_5": "d3be6497ed6b0963",
    "MixedGraph_10": "ba1cb49bd25a2a55",
    "MixedGraph_40": "9a0d103cfb7639e4",
    "RelaxedGraph_10": "5c774619fe1130b3",
    "UnspecifiedGraph_10": "84d7634be3a910b6",
}


@pytest.mark.parametrize("name", MADE)
def test_seeds_stand_for_models(name: str) -> None:
    """Twenty models of each series are those that are recorded."""
    assert digest(name) == RECORDED[name]


if __name__ == "__main__":
    for each in MADE:
        print(f'    "{each}": "{digest(each)}",')  # noqa: T201 - what is to be recorded
