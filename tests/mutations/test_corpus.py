"""Every mutant of the bundled corpus is invalid: what a driver is failed for is against the contract."""

from collections.abc import Iterator
from functools import cache

import pytest

from conformance.collecting import BUNDLED_SPECS
from conformance.mutations.catalogue import FURTHER_MUTATIONS, VTS_MUTATIONS
from conformance.mutations.editing import without_consumers
from conformance.mutations.sampling import mutants_of, sample
from generators.hal_model import build_model, close_pools
from generators.specs import Case, find_specs, load_spec
from generators.test_model import TestModel
from hal.errors import HalError
from hal.types import FeatureLevel, Model
from hal.validation import validate_model

MOST_MUTANTS = 24
LAST_HIDL_LEVEL = 4


def structure(test: TestModel) -> object:
    """What mutations depend on; sizes and values do not matter."""
    return tuple(
        (
            tuple((one.type, one.lifetime, bool(one.dimensions)) for one in subgraph.operands),
            tuple((one.type, one.inputs, one.outputs) for one in subgraph.operations),
        )
        for subgraph in test.subgraphs
    )


@cache
def specs() -> dict[object, Case]:
    """A case of each structure."""
    found: dict[object, Case] = {}
    for path in find_specs(BUNDLED_SPECS):
        for spec in load_spec(path):
            if "inputs_as_internal" not in spec.name and "all_tensors_as_inputs" not in spec.name:
                found.setdefault(structure(spec.outline()), spec)
    return found


def models(level: int) -> Iterator[tuple[str, Model]]:
    """All valid models that a driver of a level can get, as it sees them."""
    for spec in specs().values():
        if (spec.min_supported_version or 0) > level:
            continue
        model = build_model(spec.build())
        try:
            validate_model(model, FeatureLevel(level))
        except HalError:
            continue
        else:
            yield spec.name, model if level <= LAST_HIDL_LEVEL else without_consumers(model)
        finally:
            close_pools(model)


@pytest.mark.parametrize("level", [8, 4, 1])
def test_no_mutant_is_valid(level: int) -> None:
    """A sample of the mutants of every structure is refused by the validator of the level."""
    accepted = []
    count = 0
    for name, model in models(level):
        mutants = mutants_of({**VTS_MUTATIONS, **FURTHER_MUTATIONS}, model, level)
        for mutation, mutant in sample(mutants, MOST_MUTANTS, f"{name} {level}"):
            count += 1
            try:
                validate_model(mutant.model, FeatureLevel(level))
            except HalError:
                continue
            accepted.append((name, mutation, mutant.description))
    assert not accepted
    assert count > MOST_MUTANTS
