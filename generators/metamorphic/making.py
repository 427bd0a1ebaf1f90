"""The models of a relation: for each seed an original and its other forms, valid, different, and able to tell.

A draw that is not is drawn anew, so that no case is there for nothing: half of the elements of some output have to be
known better than a twentieth of the range of its values, for a driver that computes honestly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from nnvet.generators.graphs.model import TestModel
from nnvet.generators.metamorphic.relation import OtherForm, Relation
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.golden import estimates
from nnvet.generators.reducer.evaluation import complete
from nnvet.generators.reducer.parts import NotReducibleError
from nnvet.hal.errors import HalError
from nnvet.oracle.bounds.estimate import Estimate

SUITE: Final = "Metamorphic"
SEEDS: Final = range(20)
_ATTEMPTS: Final = 200
_FINE: Final = 0.05
_HALF: Final = 0.5


def made(relation: Relation, seed: int) -> tuple[TestModel, Sequence[OtherForm]]:
    """The original of a seed with its expected outputs, and its forms, which have theirs.

    :raises LookupError: no draw has such forms, which is a fault of the relation.
    """
    name = f"{SUITE}/{relation.name}/{seed}"
    for attempt in range(_ATTEMPTS):
        drawn = relation.models(SeededChooser(f"{name}/{attempt}"), name)
        try:
            original = complete(drawn)[0]
            found = forms(relation, original)
            if is_telling(original, found):
                return original, found
        except NotReducibleError:
            continue
    raise LookupError(f"{name}: none of {_ATTEMPTS} models has another form")


def forms(relation: Relation, original: TestModel) -> Sequence[OtherForm]:
    """The other forms of any test with its expected outputs; none if it has no such.

    :raises NotReducibleError: they are not valid.
    """
    chooser = SeededChooser(f"{original.name}/forms")
    try:
        found = relation.transform(chooser, original)
    except HalError as error:
        raise NotReducibleError(str(error)) from error
    return [replace(form, test=complete(form.test)[0]) for form in found]


def is_telling(original: TestModel, found: Sequence[OtherForm]) -> bool:
    """Return True if a wrong driver could fail: bounds are known, and narrow for what is compared."""
    if not found or original.expected_multinomial_distribution_tolerance:
        return False
    bounds = estimates(original)
    outputs = zip(original.main.outputs, bounds, strict=True)
    marks = [np.full(bound.value.shape, not output.is_ignored and _tells(bound)) for output, bound in outputs]
    compared = [array for form in found for array in form.expected(marks) if array is not None]
    return any(array.any() for array in compared)


def _tells(bound: Estimate) -> bool:
    known = np.isfinite(bound.value) & np.isfinite(bound.error)
    if not known.any():
        return False
    span = float(np.ptp(bound.value[known]))
    return span > 0 and float(np.mean(known & (bound.error <= _FINE * span))) >= _HALF
