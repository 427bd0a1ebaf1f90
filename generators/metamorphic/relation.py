"""Metamorphic relations: the models of one, another form of each, and the correspondence of the outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

import numpy.typing as npt
from msgspec.structs import replace

from nnvet.generators.graphs.editor import with_operands
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.random_graphs.chooser import Chooser

Array: TypeAlias = npt.NDArray[Any]

Expected: TypeAlias = Callable[[Sequence[Array]], Sequence[Array | None]]
"""Makes the outputs of a form from the outputs of the original; None: an output that is not compared.

It moves elements and nothing else, so that what it makes of error bounds are those of the form's outputs.
"""


def unchanged(outputs: Sequence[Array]) -> Sequence[Array]:
    """Return the outputs of the original."""
    return outputs


@dataclass(frozen=True)
class OtherForm:
    """Another model, with inputs. ``feeds``: inputs that are outputs of earlier forms, by form and output, from 0."""

    test: TestModel
    expected: Expected = unchanged
    feeds: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    def fed(self, earlier: Sequence[Sequence[Array]]) -> TestModel:
        """Return the test, with results of earlier forms for inputs."""
        main = self.test.main
        indexes = {main.input_indexes[place]: earlier[form][output] for place, (form, output) in self.feeds.items()}
        changed = {index: replace(main.operands[index], data=value) for index, value in indexes.items()}
        return replace(self.test, main=with_operands(main, changed))


Transformation: TypeAlias = Callable[[Chooser, TestModel], Sequence[OtherForm]]
"""The other forms of a test, in the order in which they are executed; none: the test has no such forms."""
Models: TypeAlias = Callable[[Chooser, str], TestModel]
"""A random model of that name, without expected outputs."""


class Manner(StrEnum):
    """Models to execute: the forms; or the original by every executor; or the original again after the forms."""

    FORMS = "forms"
    EXECUTORS = "executors"
    REPETITION = "repetition"


@dataclass(frozen=True)
class Relation:
    """One relation. ``rule`` is what a driver breaks that does not keep it.

    ``models`` draws those that it is about, ``subject`` says which these are; ``change`` says what ``transform`` does.
    """

    name: str
    rule: str
    models: Models
    subject: str
    change: str
    transform: Transformation
    manner: Manner = Manner.FORMS
