"""The bundled driver with a wrong kernel, as a device that tests run cases on."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy.typing as npt

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.reference_driver.compiled import CompiledOperation
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice

Array = npt.NDArray[Any]
Change = Callable[[Call, Array], Array]
"""Makes another result of the right one."""


class WrongKernels(FullDevice):
    """Changes the first output of some operations."""

    def __init__(self, operations: Collection[OperationType], change: Change) -> None:
        """All other operations are right."""
        super().__init__()
        self._operations, self._change = operations, change

    def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
        """Exchange the kernels of a model."""
        prepared = super().build(model, config)
        for step in prepared.compiled.main.operations:
            if isinstance(step, CompiledOperation) and step.operation.type in self._operations:
                step.kernel = partial(self._wrong, step.kernel)
        return prepared

    def _wrong(self, kernel: Callable[[Call], Any], call: Call) -> Any:
        result = kernel(call)
        if isinstance(result, tuple):
            return (self._change(call, result[0]), *result[1:])
        return self._change(call, result)
