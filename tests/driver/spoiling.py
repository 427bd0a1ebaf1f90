"""Breaks a question in one to three places: operands, operations, constants, indexes, the inputs' data."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from generators.hal_model import build_model, operand_data
from generators.specs import Case, find_specs, load_spec
from hal.operand_types import OPERAND_TYPES
from hal.types import DataLocation, Model, Operand, OperandLifeTime, OperationType, Subgraph, SymmPerChannelQuantParams
from tests.driver.questions import (
    EXTREME_SIZES,
    MOST_BYTES,
    SCALES,
    Question,
    integers,
    often,
    values,
)

SPECS = tuple(find_specs(Path(__file__).parents[2] / "conformance" / "specs"))
_TYPES = (*OPERAND_TYPES, 0x6E760000, 0x00010000, 77)
_SIZES = often(st.integers(0, 5), st.sampled_from(EXTREME_SIZES), out_of=4)
_INDEXES = st.integers(-1, 12)


def _dimensions(draw: st.DrawFn, operand: Operand) -> Operand:
    given = list(operand.dimensions)
    change = draw(st.integers(0, 4))
    if change == 0:
        given = draw(st.lists(_SIZES, max_size=6))
    elif change == 1:
        given = []
    elif change == 2:
        given.append(draw(_SIZES))
    elif given:
        given[draw(st.integers(0, len(given) - 1))] = draw(_SIZES)
    return replace(operand, dimensions=tuple(given))


def _quantization(draw: st.DrawFn, operand: Operand) -> Operand:
    params = operand.extra_params
    if isinstance(params, SymmPerChannelQuantParams):
        scales = (*params.scales[1:], draw(st.sampled_from(SCALES)))
        params = replace(params, scales=scales, channel_dim=draw(st.integers(-1, 4)))
    zero_point = draw(often(st.just(operand.zero_point), integers(), out_of=2))
    return replace(operand, scale=draw(st.sampled_from(SCALES)), zero_point=zero_point, extra_params=params)


_OPERAND_CHANGES: tuple[Callable[[st.DrawFn, Operand], Operand], ...] = (
    _dimensions,
    _dimensions,
    _quantization,
    lambda draw, operand: replace(operand, type=draw(st.sampled_from(_TYPES))),
    lambda draw, operand: replace(
        operand, lifetime=draw(st.sampled_from([*OperandLifeTime, 9])), location=DataLocation()
    ),
    lambda _, operand: replace(operand, lifetime=OperandLifeTime.NO_VALUE, location=DataLocation()),
    lambda draw, operand: replace(operand, location=DataLocation(*draw(st.tuples(*[_SIZES] * 3)))),
    lambda draw, operand: replace(operand, number_of_consumers=draw(st.integers(-1, 3))),
)


def _operand(draw: st.DrawFn, subgraph: Subgraph, _: Model) -> Subgraph:
    operands = list(subgraph.operands)
    index = draw(st.integers(0, len(operands) - 1))
    operands[index] = draw(st.sampled_from(_OPERAND_CHANGES))(draw, operands[index])
    return replace(subgraph, operands=tuple(operands))


def _operation(draw: st.DrawFn, subgraph: Subgraph, _: Model) -> Subgraph:
    steps = list(subgraph.operations)
    index = draw(st.integers(0, len(steps) - 1))
    step, change = steps[index], draw(st.integers(0, 4))
    inputs = list(step.inputs)
    if change == 0:
        step = replace(step, type=draw(st.sampled_from([*OperationType, 0x6E760001, 300])))
    elif change == 1:
        step = replace(step, inputs=tuple(inputs[: draw(st.integers(0, len(inputs)))]))
    elif change == 2:
        step = replace(step, inputs=tuple(draw(st.permutations(inputs))))
    elif change == 3:
        step = replace(step, outputs=tuple(draw(st.lists(_INDEXES, max_size=3))))
    elif inputs:
        inputs[draw(st.integers(0, len(inputs) - 1))] = draw(_INDEXES)
        step = replace(step, inputs=tuple(inputs))
    steps[index] = step
    if draw(st.integers(0, 9)) == 0:
        steps = draw(st.permutations(steps))
    return replace(subgraph, operations=tuple(steps))


def _listed(draw: st.DrawFn, subgraph: Subgraph, _: Model) -> Subgraph:
    name = draw(st.sampled_from(("input_indexes", "output_indexes")))
    return replace(subgraph, **{name: tuple(draw(st.lists(_INDEXES, max_size=4)))})


def _subgraph(draw: st.DrawFn, question: Question) -> Question:
    """Spoil one subgraph."""
    model = question.model
    change = draw(st.sampled_from((_operand, _operand, _operand, _operation, _listed)))
    index = draw(st.integers(0, len(model.referenced)))
    if index == 0:
        return Question(replace(model, main=change(draw, model.main, model)), question.data)
    referenced = list(model.referenced)
    referenced[index - 1] = change(draw, referenced[index - 1], model)
    return Question(replace(model, referenced=tuple(referenced)), question.data)


def _constant(draw: st.DrawFn, question: Question) -> Question:
    """Put other values into a copied constant."""
    model = question.model
    constants = [o for o in model.main.operands if o.lifetime == OperandLifeTime.CONSTANT_COPY and o.location.length]
    if not constants:
        return question
    operand = draw(st.sampled_from(constants))
    begin, length = operand.location.offset, operand.location.length
    new = _elements(draw, operand, length)
    copied = model.operand_values[:begin] + new + model.operand_values[begin + length :]
    return Question(replace(model, operand_values=copied), question.data)


def _data(draw: st.DrawFn, question: Question) -> Question:
    """Put other values into an input, or take them away."""
    if not question.data:
        return question
    data = list(question.data)
    index = draw(st.integers(0, len(data) - 1))
    operands, indexes = question.model.main.operands, question.model.main.input_indexes
    if index >= len(indexes) or not 0 <= indexes[index] < len(operands) or draw(st.integers(0, 3)) == 0:
        data[index] = draw(st.none() | st.binary(max_size=64))
    else:
        data[index] = _elements(draw, operands[indexes[index]], len(data[index] or b""))
    return Question(question.model, tuple(data))


def _elements(draw: st.DrawFn, operand: Operand, length: int) -> bytes:
    info = OPERAND_TYPES.get(operand.type)
    size = info.size if info and info.size else 1
    data = draw(values(operand.type if info else next(iter(OPERAND_TYPES)), -(-length // size)))
    return data.ljust(length, b"\0")[:length]


_CHANGES = (_subgraph, _subgraph, _constant, _constant, _data)


@st.composite
def spoilt(draw: st.DrawFn, questions: st.SearchStrategy[Question]) -> Question:
    """A question with one to three things changed."""
    question = draw(questions)
    for change in draw(st.lists(st.sampled_from(_CHANGES), min_size=1, max_size=3)):
        question = change(draw, question)
    return question


@cache
def _cases(path: Path) -> list[Case]:
    return load_spec(path)


@st.composite
def specs(draw: st.DrawFn) -> Question:
    """The model of a bundled spec, with the inputs of its example; its pools are the caller's to close."""
    case = draw(st.sampled_from(_cases(draw(st.sampled_from(SPECS)))))
    test = case.build()
    data: list[Any] = [operand_data(operand).tobytes()[:MOST_BYTES] or None for operand in test.main.inputs]
    return Question(build_model(test), tuple(data))
