"""Hypothesis strategies for models, requests and values of operands, so that drivers' authors can state properties.

All decisions of a model are drawn, so that a failing model shrinks to fewer operations, smaller dimensions and plain
values. See ``docs/random-graphs.md``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from hypothesis import strategies as st
from msgspec.structs import replace

from nnvet.generators.random_graphs.draft import DraftOperand, Trait
from nnvet.generators.random_graphs.generate import halved, reversed_rows
from nnvet.generators.random_graphs.growth import values_of
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.editor import with_operands
from nnvet.graphs.hal_model import operand_data
from nnvet.graphs.model import Array, TestModel, TestOperand
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info

T = TypeVar("T")
_STEPS: Final = 1 << 16
_CHANCES: Final = 1 << 8
_FEW: Final = GraphOptions(operations=(1, 10))
_MOST_DRAWN: Final = 16
_LARGEST: Final = 2.0


class HypothesisChooser:
    """Decisions drawn from a property-based test; they shrink to the lowest numbers, the first options and False."""

    def __init__(self, draw: st.DrawFn) -> None:
        """Draw with this function of a composite strategy or of ``st.data()``."""
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        """Return a number from ``low`` to ``high``, both included."""
        # Drawn from 0 on: Hypothesis prefers numbers near 0, and here the lowest is the simplest.
        return low + self._draw(st.integers(0, high - low)) if high > low else low

    def real(self, low: float, high: float) -> float:
        """Return a number above ``low`` and not above ``high``, one of 2^16 steps; the highest is the simplest."""
        return high - (high - low) * (self.integer(0, _STEPS - 1) / _STEPS)

    def boolean(self, probability: float = 0.5) -> bool:
        """Return True with approximately this probability."""
        return self.integer(0, _CHANCES - 1) >= _CHANCES * (1 - probability)

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.integer(0, len(options) - 1)]

    def raw(self, size: int) -> bytes:
        """Return bytes that follow from one number; zeros are the simplest."""
        seed = self.integer(0, _STEPS - 1)
        return random.Random(seed).randbytes(size) if seed else bytes(size)  # noqa: S311 - no secret

    def beginning(self, count: int) -> None:
        """Return None, because a shared beginning could not shrink."""
        del count

    def together(self, make: Callable[[], T]) -> T:
        """Return the result of ``make``, as a part of the example that can be deleted."""
        return self._draw(st.builds(make))


@st.composite
def models(draw: st.DrawFn, options: GraphOptions = _FEW) -> TestModel:
    """Draw valid models with inputs, without expected outputs; :func:`with_golden_results` computes the outputs.

    :raises ValueError: no operation has a type and rank that the options allow.
    """
    return random_model(HypothesisChooser(draw), options)


@st.composite
def operand_values(draw: st.DrawFn, operand: TestOperand) -> Array:
    """Return a strategy for values of an operand of known dimensions; flat, of its element type.

    Finite floats, any codes, integers of up to 12 bits; also coarse values, many of which are equal. They shrink to 1.
    """
    info = type_info(operand.type)
    chooser = HypothesisChooser(draw)
    drafted = DraftOperand(OperandType(operand.type), operand.dimensions, operand.scale, operand.zero_point)
    drafted.reach = _LARGEST ** chooser.integer(0, 6) if info.is_float else chooser.integer(1, 4095)
    drafted.is_coarse = chooser.boolean()
    drafted.traits = chooser.pick((Trait.NONE, Trait.NON_NEGATIVE))
    return values_of(chooser, drafted)


@st.composite
def requests(draw: st.DrawFn, model: TestModel) -> TestModel:
    """Return the model with other values of its inputs.

    :func:`nnvet.graphs.hal_model.pack_request` makes the HAL's request from the result.

    Values stay valid for what reads them: numbers are halved and keep their sign, or rows change places, so that
    indices, boxes and positive numbers stay what they are. They shrink to the model's own.
    """
    chooser = HypothesisChooser(draw)
    changed = {}
    for index, operand in zip(model.main.input_indexes, model.main.inputs, strict=True):
        values = operand_data(operand)
        if chooser.boolean():
            values = reversed_rows(operand, values)
        if chooser.boolean():
            step = chooser.integer(1, 3)
            values = values.copy()
            values[::step] = halved(operand, values[::step])
        changed[index] = replace(operand, data=values)
    return replace(model, main=with_operands(model.main, changed))
