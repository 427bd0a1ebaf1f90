"""A driver for ADD of 32-bit floats: ``nnvet run -d python:docs/examples/minimal_driver.py:AddDevice``."""

import numpy as np

from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel, constant
from nnvet.hal.errors import failure
from nnvet.hal.types import OperandType, OperationType

CLIPS = {0: (-np.inf, np.inf), 1: (0, np.inf), 2: (-1, 1), 3: (0, 6)}  # by FusedActivationFunc


class AddModel(BasePreparedModel):
    """Runs the operations in order, on one value for each operand."""

    def compute(self, inputs):
        """Compute the outputs of the model from its inputs, one array each."""
        main = self.model.main
        values = [constant(self.model, operand) for operand in main.operands]
        for index, value in zip(main.input_indexes, inputs, strict=True):
            values[index] = value
        for operation in main.operations:
            first, second, activation = (values[index] for index in operation.inputs)
            try:
                values[operation.outputs[0]] = np.clip(first + second, *CLIPS[int(activation)])
            except ValueError as error:  # shapes may be known only now, and may not fit
                raise failure(str(error)) from error
        return [values[index] for index in main.output_indexes]


class AddDevice(BaseDevice):
    """Device with a name and one operation."""

    name = "minimal"

    def supports(self, model, operation):
        """Return True for ADD of 32-bit floats whose activation is known when the model is prepared."""
        if operation.type != OperationType.ADD:
            return False
        first, _, activation = (model.main.operands[index] for index in operation.inputs)
        code = constant(model, activation)
        return first.type == OperandType.TENSOR_FLOAT32 and code is not None and int(code) in CLIPS

    def compile(self, model, config):
        """Make a prepared model, which executes requests."""
        return AddModel(model)
