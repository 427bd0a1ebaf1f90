"""Base classes of the wrong drivers: the bundled driver with every operation, or with some kernels replaced.

The modules of planted bugs derive from :class:`FullDevice`, :class:`WrongKernels` or :class:`ChangedResults`;
``registry.py`` registers what they make.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TypeAlias

from nnvet.driver_kit.arrays import Array
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import Model, OperandLifeTime, PrepareModelConfig
from nnvet.reference_driver.compiled import CompiledOperation
from nnvet.reference_driver.device import VARIANTS, ReferenceDevice
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.prepared import ReferencePreparedModel


class FullDevice(ReferenceDevice):
    """The full driver. A subclass overrides methods, or names another class as ``prepared_model``."""

    def __init__(self) -> None:
        """Make the driver with every operation."""
        super().__init__(VARIANTS[""])


def with_prepared_model(prepared_model: type[ReferencePreparedModel]) -> FullDevice:
    """Return the full driver with prepared models of another class."""
    device = FullDevice()
    device.prepared_model = prepared_model
    return device


class WrongKernels(FullDevice):
    """The full driver, which computes some operations of the main subgraph by ``wrong(kernel, call)``."""

    def __init__(
        self,
        operations: Collection[int],
        wrong: Callable[[Kernel, Call], Array | tuple[Array, ...]],
        lifetimes: Collection[OperandLifeTime] = tuple(OperandLifeTime),
    ) -> None:
        """Make these operations wrong if their first input has one of the lifetimes."""
        super().__init__()
        self._operations = operations
        self._wrong = wrong
        self._lifetimes = lifetimes

    def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
        """Replace the kernels of a model."""
        prepared = super().build(model, config)
        for step in prepared.compiled.main.operations:
            if isinstance(step, CompiledOperation) and step.operation.type in self._operations:
                first = model.main.operands[step.operation.inputs[0]]
                if first.lifetime in self._lifetimes:
                    step.kernel = partial(self._wrong, step.kernel)
        return prepared


Change: TypeAlias = Callable[[Call, Array], Array]
"""A function that changes a right result."""


class ChangedResults(WrongKernels):
    """The full driver, which changes the first output of some operations."""

    def __init__(self, operations: Collection[int], change: Change) -> None:
        """Make these operations wrong by ``change(call, result)``."""
        super().__init__(operations, partial(_changed, change))


def _changed(change: Change, kernel: Kernel, call: Call) -> Array | tuple[Array, ...]:
    result = kernel(call)
    if isinstance(result, tuple):
        return (change(call, result[0]), *result[1:])
    return change(call, result)


def only(result: Array | tuple[Array, ...]) -> Array:
    """Return the only result of a kernel."""
    return result[0] if isinstance(result, tuple) else result
