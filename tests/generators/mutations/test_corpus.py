"""Every mutant of the bundled corpus is invalid, so that a driver that accepts it breaks the contract."""

import pytest

from nnvet.generators.mutations.operations import (
    FURTHER_MUTATIONS,
    VTS_MUTATIONS,
    is_refused,
    mutants_of,
    refused_at,
    sample,
)
from nnvet.hal.types import FeatureLevel
from tests.generators.mutations.structures import WHOLE, models

MOST_MUTANTS = None if WHOLE else 48
STEPS = {8: 8, 7: 16, 6: 16, 5: 16, 4: 4, 3: 8, 2: 4, 1: 2}
"""One of how many structures is tried at a level."""


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "level", [pytest.param(level, marks=pytest.mark.long if level in (4, 8) else ()) for level in STEPS]
)
def test_no_mutant_is_valid(level: int) -> None:
    """A sample of the mutants of every structure is refused by the validator of the level."""
    accepted = []
    count = 0
    for name, model in models(level, STEPS[level]):
        mutants = mutants_of({**VTS_MUTATIONS, **FURTHER_MUTATIONS}, model, level)
        for mutation, mutant in sample(mutants, MOST_MUTANTS, f"{name} {level}"):
            count += 1
            if not is_refused(mutant.model, FeatureLevel(level)):
                accepted.append((name, mutation, mutant.description))
    assert not accepted
    assert count > 500


@pytest.mark.parametrize("level", [1, 2])
def test_mutants_for_a_newer_driver(level: int) -> None:
    """A mutant for a newer driver is wrong for an older one, too; at least nine of ten mutants still are."""
    sent, made = 0, 0
    for _, model in models(level, 16):
        mutants = mutants_of(VTS_MUTATIONS, model, level)
        kept = refused_at(FeatureLevel.FL8, mutants)
        assert kept.keys() == mutants.keys()
        assert all(is_refused(mutant.model, FeatureLevel.FL8) for some in kept.values() for mutant in some)
        sent, made = sent + sum(map(len, kept.values())), made + sum(map(len, mutants.values()))
    assert 0.9 * made < sent < made
