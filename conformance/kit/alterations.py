"""Altered models that a driver seems to have computed instead of the one that it was given.

A wrong output is compared with the outputs of the same model with one thing changed: a zero point forgotten, another
activation, padding at the other end, two inputs exchanged, a switch inverted, numbers of half the precision. If a
changed model gives all elements of the wrong output, the failure's reason names the change. This is a hint for people:
no verdict depends on it. :mod:`nnvet.conformance.kit.judging` calls :func:`describe_alteration` and
:func:`describe_precision` when it has found a wrong output.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from nnvet.generators.random_graphs.golden import estimates
from nnvet.graphs.editor import with_added, with_operand, with_operands
from nnvet.graphs.model import TestModel, TestOperand
from nnvet.hal.enums import FusedActivationFunc, OperandLifeTime, OperandType
from nnvet.hal.errors import HalError
from nnvet.hal.operations.binding import bound_formals
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.bounds.compare import compare_contract
from nnvet.oracle.bounds.precision import Estimate
from nnvet.reports.fingerprint import AS_IF

Array = npt.NDArray[Any]

_LARGEST: Final = 1 << 14
"""Most elements of an output for which alterations are tried; the search in a larger output takes too long."""
_FEWEST: Final = (4, 2)
"""Fewest elements, and fewest different numbers, that an altered model has to give; fewer could agree by chance."""
_WITH_ZERO_POINT: Final = (OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED)
"""Types whose zero point a driver can forget."""
_SAME: Final = 1
"""Code of the padding scheme SAME, whose rows and columns a driver can put at the wrong end."""
_LEAST_NOISE: Final = 2.0**-16
"""Smallest relative error that points to float16: sums in float32, formed in any order, stay below this error."""
_BOTH_SIDES: Final = 0.15
"""Errors are noise only if this share of the wrong elements, at least, is too large, and this share is too small."""


class _Parts(NamedTuple):
    """The only operation of a test, with the operands of its inputs by name, and their indexes."""

    test: TestModel
    indexes: dict[str, int]

    def operand(self, name: str) -> TestOperand | None:
        """Return the operand of an input; None if there is no such input."""
        return self.test.main.operands[self.indexes[name]] if name in self.indexes else None

    def value(self, name: str, default: int = 0) -> int:
        """Return a constant scalar, as a whole number."""
        operand = self.operand(name)
        return default if operand is None or operand.data is None or not operand.data.size else int(operand.data[0])

    def with_value(self, name: str, value: float) -> TestModel:
        """Return the test with another value of a scalar."""
        operand = self.operand(name)
        if operand is None or operand.data is None:
            return self.test
        return self.with_changed(name, replace(operand, data=np.array([value], operand.data.dtype)))

    def with_changed(self, name: str, operand: TestOperand) -> TestModel:
        """Return the test with another operand as input."""
        return replace(self.test, main=with_operand(self.test.main, self.indexes[name], operand))


Altered = Iterator[tuple[str, TestModel]]
"""Altered models, each with words that complete the sentence "the result would be right if …"."""


def describe_alteration(test: TestModel, position: int, result: Array, wanted: Array) -> str:
    """Return the alteration that gives the wrong output ``result``; empty if none does, or if too few elements decide.

    ``wanted`` are the right numbers, flat like the result.
    """
    if (parts := _part_of(test)) is None or result.size > _LARGEST or result.size != wanted.size:
        return ""
    wrong = result[result != wanted]
    if wrong.size < _FEWEST[0] or np.unique(wrong).size < _FEWEST[1]:
        return ""
    for text, altered in chain.from_iterable(alter(parts) for alter in _ALTERATIONS):
        found = _estimate(altered, position)
        if found is not None and found.value.size == result.size and compare_contract(result, found, found) is None:
            return f"{AS_IF}{text}"
    return ""


def describe_precision(test: TestModel, position: int, result: Array, wanted: Array) -> str:
    """Return words if the errors of a float32 output are noise of float16's size; empty if they are not."""
    is_single = len(test.main.operations) == 1 and test.main.outputs[position].type == OperandType.TENSOR_FLOAT32
    if not is_single or test.is_relaxed or result.size > _LARGEST or np.sum(result != wanted) < _FEWEST[0]:
        return ""
    found = _estimate(replace(test, is_relaxed=True), position)
    if found is None or compare_contract(result, found, found) is not None:
        return ""
    error = (result.astype(np.float64) - wanted)[result != wanted]
    size = np.abs(found.value.reshape(-1)[result != wanted])
    outward = np.mean(error * found.value.reshape(-1)[result != wanted] > 0)
    # If all errors point toward zero, or all away from it, a wrong factor is more likely than noise.
    is_noise = min(np.mean(error > 0), np.mean(error < 0), outward, 1 - outward) >= _BOTH_SIDES
    is_coarse = np.median(np.abs(error) / np.maximum(size, np.finfo(np.float32).tiny)) >= _LEAST_NOISE
    return "errors of both signs, as large as those of sums or products in float16" if is_noise and is_coarse else ""


def _part_of(test: TestModel) -> _Parts | None:
    """Return the only operation of a test with its operands; None for graphs and undeclared operations."""
    main = test.main
    if len(main.operations) != 1 or test.referenced:
        return None
    operation = main.operations[0]
    declaration = declarations().get(operation.type)
    if declaration is None:
        return None
    inputs, outputs = (
        [Argument(main.operands[index].type, main.operands[index].dimensions) for index in side]
        for side in (operation.inputs, operation.outputs)
    )
    try:
        formals = bound_formals(declaration, inputs, outputs)
    except HalError:
        return None
    return _Parts(test, {formal.name: index for formal, index in zip(formals, operation.inputs, strict=True)})


def _estimate(test: TestModel, position: int) -> Estimate | None:
    """Return the output of an altered model; None if the model is invalid, or leaves elements undecided."""
    try:
        with np.errstate(all="ignore"):
            found = estimates(test, contract=True)[position]
    except (HalError, ValueError, ArithmeticError, LookupError):
        return None
    return None if found.undecided_share else found


def _forget_zero_points(parts: _Parts) -> Altered:
    """Yield models in which the zero point of one operand, or of all, is 0."""
    main = parts.test.main
    names = {index: name for name, index in parts.indexes.items()}
    names |= {index: f"output {place}" for place, index in enumerate(main.operations[0].outputs)}
    shifted = {
        index: replace(main.operands[index], zero_point=0)
        for index in names
        if main.operands[index].type in _WITH_ZERO_POINT and main.operands[index].zero_point
    }
    for index, operand in shifted.items():
        text = f"the zero point of {names[index]} were 0, not {main.operands[index].zero_point}"
        yield text, replace(parts.test, main=with_operand(main, index, operand))
    if len(shifted) > 1:
        yield "all zero points were 0", replace(parts.test, main=with_operands(main, shifted))


def _change_activation(parts: _Parts) -> Altered:
    """Yield models with each other fused activation."""
    if parts.operand("activation") is not None:
        due = FusedActivationFunc(parts.value("activation"))
        for other in FusedActivationFunc:
            if other != due:
                text = f"the fused activation were {other.name}, not {due.name}"
                yield text, parts.with_value("activation", other)


def _change_padding(parts: _Parts) -> Altered:
    """Yield models in which the rows and columns of padding SAME are at other ends."""
    first = next(iter(parts.indexes.values()))
    shape = parts.test.main.operands[first].dimensions
    if parts.value("padding") != _SAME or len(shape) != 4 or parts.operand("stride_width") is None:  # noqa: PLR2004
        return
    height, width = shape[2:] if parts.value("layout") else shape[1:3]
    sums = [_padding_of_same(parts, "width", width), _padding_of_same(parts, "height", height)]
    both = [(size // 2, size - size // 2) for size in sums]
    other_ends = {
        "the odd row or column of padding SAME came first": [(end, begin) for begin, end in both],
        "all of padding SAME came first": [(size, 0) for size in sums],
        "all of padding SAME came last": [(0, size) for size in sums],
        "padding SAME had its numbers of rows and of columns exchanged": both[::-1],
    }
    for text, ends in other_ends.items():
        if ends != both:
            yield text, _pad_explicitly(parts, [*ends[0], *ends[1]])


def _padding_of_same(parts: _Parts, axis: str, size: int) -> int:
    """Return the numbers of rows or columns that padding SAME adds before and after the data of an axis."""
    taps = parts.operand("filter")
    place = {"height": 1, "width": 2}[axis]
    extent = parts.value(f"filter_{axis}") if taps is None else taps.dimensions[place]
    reach = (extent - 1) * parts.value(f"dilation_{axis}", 1) + 1
    stride = parts.value(f"stride_{axis}", 1)
    return max(((size + stride - 1) // stride - 1) * stride + reach - size, 0)


def _pad_explicitly(parts: _Parts, ends: list[int]) -> TestModel:
    """Return the test with explicit padding: left, right, top, bottom."""
    main, test = parts.test.main, parts.test
    added = [
        TestOperand(OperandType.INT32, lifetime=OperandLifeTime.CONSTANT_COPY, data=np.array([end], np.int32))
        for end in ends
    ]
    operation = main.operations[0]
    place = operation.inputs.index(parts.indexes["padding"])
    count = len(main.operands)
    new = (*operation.inputs[:place], *range(count, count + len(added)), *operation.inputs[place + 1 :])
    wider = with_added(main, *added)
    return replace(test, main=replace(wider, operations=(replace(operation, inputs=new),)))


def _exchange_inputs(parts: _Parts) -> Altered:
    """Yield models in which two inputs of the same type and shape have changed places."""
    main = parts.test.main
    operation = main.operations[0]
    for (name, index), (other_name, other) in combinations(parts.indexes.items(), 2):
        first, second = main.operands[index], main.operands[other]
        if first.dimensions and (first.type, first.dimensions) == (second.type, second.dimensions):
            swap = {index: other, other: index}
            inputs = tuple(swap.get(index, index) for index in operation.inputs)
            altered = replace(main, operations=(replace(operation, inputs=inputs),))
            yield f"{name} and {other_name} were exchanged", replace(parts.test, main=altered)


def _change_switches(parts: _Parts) -> Altered:
    """Yield models with an inverted truth value, or with 1 or 0 instead of a real number."""
    for name in parts.indexes:
        operand = parts.operand(name)
        if operand is None or operand.data is None or not operand.data.size:
            continue
        if operand.type == OperandType.BOOL and name != "layout":
            off = not parts.value(name)
            yield f"{name} were {str(off).lower()}", parts.with_value(name, off)
        if operand.type in (OperandType.FLOAT32, OperandType.FLOAT16):
            for number in (1.0, 0.0):
                if operand.data[0] != number:
                    text = f"{name} were {number:g}, not {operand.data[0]:g}"
                    yield text, parts.with_value(name, number)


_ALTERATIONS: Final = (_forget_zero_points, _change_activation, _change_padding, _exchange_inputs, _change_switches)
"""Changes of one kind each, the most common first."""
