"""A seed stands for one model of mixed types, on every machine and in every version: the recorded digests say so.

A generator that changes them on purpose needs new digests, which ``python -m tests.generators.test_seeded_models``
prints.
"""

import hashlib
from collections.abc import Callable
from functools import partial

import pytest

from nnvet.conformance.suites.random_models.checks import RandomCase
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.random_graphs.mixed import MIXED_TESTS
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
"""Series of models by name: RandomModels of some options, and the graphs of RandomGraphs."""


def digest(name: str) -> str:
    """The first models of a series, in brief."""
    whole = hashlib.sha256()
    for seed in range(SEEDS):
        whole.update("\n".join(serialised(MADE[name](seed))).encode())
    return whole.hexdigest()[:DIGITS]


RECORDED = {
    "default": "e88e3fb7c88f6ca5",
    "remembered=0": "e220802d789acb46",
    "operations=60-60": "04ecdafc12790d2e",
    "operations=1-3": "e4f5194b0e0337bd",
    "boundaries=1.0": "d92cb8e0e81ddabe",
    "types=float32+float16,relaxed=1.0": "377fdde4c8bd6688",
    "dimensions=1-100,elements=5000": "8d74b88d9b18eacc",
    "level=3,unknown=0.5": "7047af344044b862",
    "MixedGraph_5": "202a35fab5cee160",
    "MixedGraph_10": "8f3408b059143cd7",
    "MixedGraph_40": "2f80be33c94aeabb",
    "RelaxedGraph_10": "3e4649fbbfddd84b",
    "UnspecifiedGraph_10": "96266f90bcfec48c",
}


@pytest.mark.parametrize("name", MADE)
def test_seeds_stand_for_models(name: str) -> None:
    """Twenty models of each series are those that are recorded."""
    assert digest(name) == RECORDED[name]


if __name__ == "__main__":
    for each in MADE:
        print(f'    "{each}": "{digest(each)}",')  # noqa: T201 - what is to be recorded
