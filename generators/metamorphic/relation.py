"""Data types of metamorphic relations (:class:`Relation`): the original models, their other forms, and their outputs.

A form (:class:`OtherForm`) is a second model whose outputs follow from those of the original. The relations themselves
are the rows of :mod:`nnvet.generators.metamorphic.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

import numpy.typing as npt
from msgspec.structs import replace

from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import TestModel

Array: TypeAlias = npt.NDArray[Any]

Expected: TypeAlias = Callable[[Sequence[Array]], Sequence[Array | None]]
"""Function from the outputs of the original to the expected outputs of a form; None for an output that is not compared.

The function only moves elements, so if it is applied to error bounds, it returns the bounds of the form's outputs.
"""


def unchanged(outputs: Sequence[Array]) -> Sequence[Array]:
    """Return the outputs of the original."""
    return outputs


@dataclass(frozen=True)
class OtherForm:
    """Another model, with inputs.

    ``feeds`` maps positions of inputs to outputs of earlier forms (number of the form, number of the output) that they
    receive.
    """

    test: TestModel
    expected: Expected = unchanged
    feeds: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    def fed(self, earlier: Sequence[Sequence[Array]]) -> TestModel:
        """Return the test, with results of ``earlier`` forms as the values of the inputs that ``feeds`` lists."""
        main = self.test.main
        indexes = {main.input_indexes[place]: earlier[form][output] for place, (form, output) in self.feeds.items()}
        changed = {index: replace(main.operands[index], data=value) for index, value in indexes.items()}
        return replace(self.test, main=with_operands(main, changed))


Transformation: TypeAlias = Callable[[Chooser, TestModel], Sequence[OtherForm]]
"""Function that returns the other forms of a test in order of execution; none if the test has no such forms."""
Models: TypeAlias = Callable[[Chooser, str], TestModel]
"""Function that returns the random model of a name, without expected outputs."""


class Manner(StrEnum):
    """Manner of execution: only the forms; the original by every executor; or the original again after the forms."""

    FORMS = "forms"
    EXECUTORS = "executors"
    REPETITION = "repetition"


@dataclass(frozen=True)
class Relation:
    """One relation. A driver that does not keep it breaks ``rule``.

    ``models`` draws models for it, which ``subject`` describes; ``change`` describes the effect of ``transform``.
    """

    name: str
    rule: str
    models: Models
    subject: str
    change: str
    transform: Transformation
    manner: Manner = Manner.FORMS
