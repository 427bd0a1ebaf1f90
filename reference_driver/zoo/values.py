"""Drivers with wrong values of one operation, as buggy kernels produce them: for some attributes, with a simple error.

Each driver is a :class:`ValueBug`, a row of a table in ``value_floats.py``, ``value_images.py`` or
``value_numbers.py``: the operation, the calls in which it is wrong, the change of the results, and the description that
reports should give.
Reports state what failing cases have in common and what the error looks like; the rows are the truth with which tests
compare these statements.
"""

from __future__ import annotations

from collections.abc import Callable
from types import EllipsisType
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from nnvet.driver_kit.arrays import Array
from nnvet.hal.interfaces import Device
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import OperandType, OperationType
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.zoo.full_device import Change, WrongKernels, only
from nnvet.reference_driver.zoo.registry import Signs, value_bug

Where = Callable[[Call], bool]
"""Condition on a call; results are changed where it holds."""


def scalars(**values: float) -> Where:
    """Return the condition that scalars are given and have these values."""
    return lambda call: all(call.has(name) and call.scalar(name) == value for name, value in values.items())


def of_type(*kinds: OperandType) -> Where:
    """Return the condition that the first output has one of these types."""
    return lambda call: call.output.type in kinds


def of_rank(rank: int) -> Where:
    """Return the condition that the first output has a rank."""
    return lambda call: len(call.output.dimensions) == rank


def always(_: Call) -> bool:
    """Return True for every call."""
    return True


def floats(call: Call) -> bool:
    """Return True for floating-point results."""
    return type_info(call.output.type).is_float


def within(change: Callable[[Array], Array]) -> Change:
    """Return a change that is computed in float64; a result beyond the type's range ends at its limit."""

    def changed(_: Call, result: Array) -> Array:
        wide = change(result.astype(np.float64))
        if result.dtype.kind in "iu":
            limits = np.iinfo(result.dtype)
            wide = np.clip(wide, limits.min, limits.max)
        return wide.astype(result.dtype)

    return changed


def moved(change: Callable[[Array], Array]) -> Change:
    """Return a change that moves elements to other positions; the array keeps its shape."""
    return lambda _, result: change(result).reshape(result.shape) if result.size and result.ndim > 1 else result


def part(index: tuple[int | slice | EllipsisType, ...], change: Callable[[Array], Array]) -> Change:
    """Return a change that applies ``change`` only to the elements at ``index``."""

    def changed(_: Call, result: Array) -> Array:
        if not result.size:
            return result
        wrong = result.copy()
        wrong[index] = change(wrong[index])
        return wrong

    return changed


def bfloat16(_: Call, result: Array) -> Array:
    """Return float32 results cut to the upper 16 of their 32 bits."""
    cut: Array = (np.ascontiguousarray(result).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    return cut


class ValueBug(NamedTuple):
    """A row of the table: results of the operation are changed in calls for which ``where`` holds.

    Without a ``change``, fused activations are left out. ``cases`` are beginnings of the names of the operation's
    specs; ``common`` and ``looks`` are those of :class:`nnvet.reference_driver.zoo.registry.Signs`.
    """

    name: str
    summary: str
    operation: OperationType
    where: Where
    change: Change | None
    cases: str
    common: tuple[str, ...]
    looks: tuple[str, ...]

    def register(self) -> None:
        """Put the driver into the zoo."""
        signs = Signs((f"GeneratedTest/sync/{self.cases}*",), self.common, self.looks)
        value_bug(f"value-{self.name}", self.summary, signs, self.make)

    def make(self) -> Device:
        """Make the driver."""
        return WrongKernels({self.operation}, self._compute)

    def _compute(self, kernel: Kernel, call: Call) -> Array | tuple[Array, ...]:
        if not self.where(call):
            return kernel(call)
        if self.change is None:
            return _unclamped(kernel, call)
        results = kernel(call)
        if isinstance(results, tuple):
            return (self.change(call, results[0]), *results[1:])
        return self.change(call, results)


def _unclamped(kernel: Kernel, call: Call) -> Array:
    """Compute without the fused activation."""
    none = replace(call["activation"], value=np.zeros_like(call["activation"].array))
    return only(kernel(replace(call, inputs=call.inputs | {"activation": none})))
