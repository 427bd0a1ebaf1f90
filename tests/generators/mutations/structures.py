"""Models of the bundled corpus for tests of mutations, one for each structure, chosen in the same way every time.

The environment variable NNVET_WHOLE_CORPUS, if it is not empty, takes all structures at every level.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import islice

from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.conformance.kit.preparing import built_model
from nnvet.conformance.suites.validation.specs import is_validated
from nnvet.generators.mutations.operations import is_refused
from nnvet.generators.specs import SpecCase, find_specs, load_spec
from nnvet.graphs.model import TestModel
from nnvet.hal.types import FeatureLevel, Model

WHOLE = bool(os.environ.get("NNVET_WHOLE_CORPUS"))


def _structure(test: TestModel) -> object:
    """Return the part of a test that mutations depend on; sizes and values do not matter."""
    return tuple(
        (
            tuple((operand.type, operand.lifetime, bool(operand.dimensions)) for operand in subgraph.operands),
            tuple((operation.type, operation.inputs, operation.outputs) for operation in subgraph.operations),
        )
        for subgraph in test.subgraphs
    )


@cache
def _specs() -> dict[object, SpecCase]:
    """A case of each structure."""
    found: dict[object, SpecCase] = {}
    for path in find_specs(BUNDLED_SPECS):
        for spec in load_spec(path):
            outline = spec.outline
            if is_validated(outline):
                found.setdefault(_structure(outline), spec)
    return found


def models(level: int, step: int) -> Iterator[tuple[str, Model]]:
    """Names of specs and valid models as a driver of a level sees them, of every ``step``-th structure it can get.

    Different levels begin with different structures.
    """
    fitting = [spec for spec in _specs().values() if (spec.min_supported_version or 0) <= level]
    for spec in islice(fitting, None if WHOLE else level % step, None, 1 if WHOLE else step):
        with suppress(CaseFailed), built_model(spec.build(), level) as model:
            if not is_refused(model, FeatureLevel(level)):
                yield spec.name, model
