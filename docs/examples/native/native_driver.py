"""A driver for ADD of 32-bit floats of one shape, which a library in C computes: ``SUMS_LIBRARY`` names the file."""

import ctypes
import os

import numpy as np

from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel, constant
from nnvet.hal.errors import failure
from nnvet.hal.types import OperandType, OperationType

FLOATS = ctypes.POINTER(ctypes.c_float)


def pointer(array):
    """The address of the first number."""
    return array.ctypes.data_as(FLOATS)


class NativeModel(BasePreparedModel):
    """One ADD of the two inputs."""

    library = None

    def compute(self, inputs):
        """Their sum."""
        first, second = (np.ascontiguousarray(value, np.float32) for value in inputs)
        result = np.empty(first.shape, np.float32)
        if self.library.sums_add(pointer(first), pointer(second), pointer(result), ctypes.c_size_t(first.size)):
            raise failure("there is no memory")
        return [result]


class NativeDevice(BaseDevice):
    """Runs models of one operation."""

    name = "native-sums"

    def __init__(self):
        """Load the library."""
        self.library = ctypes.CDLL(os.environ["SUMS_LIBRARY"])

    def supports(self, model, operation):
        """A single ADD of the model's two inputs, of one known shape, without an activation."""
        main = model.main
        if operation.type != OperationType.ADD or len(main.operations) != 1:
            return False
        first, second, activation = (main.operands[index] for index in operation.inputs)
        shapes = {operand.dimensions for operand in (first, second)}
        return (
            tuple(main.input_indexes) == tuple(operation.inputs[:2])
            and tuple(main.output_indexes) == tuple(operation.outputs)
            and {first.type, second.type} == {OperandType.TENSOR_FLOAT32}
            and len(shapes) == 1
            and 0 not in first.dimensions
            and first.dimensions != ()
            and constant(model, activation) == 0
        )

    def compile(self, model, config):
        """A model that computes in C."""
        prepared = NativeModel(model)
        prepared.library = self.library
        return prepared
