"""ADD of 32-bit floats, by a plan: ``nnvet run -d python:docs/examples/planning_driver.py:PlanningDevice``."""

import numpy as np
from minimal_driver import CLIPS

from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel, constant
from nnvet.hal.errors import failure
from nnvet.hal.types import OperandType, OperationType


class AddPlan:
    """Plan of a model: a step for each operation that can run, None for the others."""

    def __init__(self, model):
        """Look at all operations."""
        self.model = model
        self.steps = [self.step(operation) for operation in model.main.operations]
        self.supported = [step is not None for step in self.steps]

    def step(self, operation):
        """Indexes of the operands, and the bounds of the result."""
        if operation.type != OperationType.ADD:
            return None
        first, second, activation = operation.inputs
        operands = self.model.main.operands
        code = constant(self.model, operands[activation])
        if operands[first].type != OperandType.TENSOR_FLOAT32 or code is None or int(code) not in CLIPS:
            return None
        return first, second, operation.outputs[0], CLIPS[int(code)]

    def compile(self, config):
        """Turn the plan into something that executes."""
        return PlannedModel(self)


class PlanningDevice(BaseDevice):
    """Answers for whole models."""

    name = "planning"

    def plan(self, model):
        """Return the device's plan of a valid model."""
        return AddPlan(model)


class PlannedModel(BasePreparedModel):
    """Runs the steps of a plan."""

    def __init__(self, plan):
        """Keep the steps, and read the constants."""
        super().__init__(plan.model)
        self.steps = plan.steps
        self.constants = [constant(plan.model, operand) for operand in plan.model.main.operands]

    def compute(self, inputs):
        """Outputs of the model for its inputs."""
        main = self.model.main
        values = list(self.constants)
        for index, value in zip(main.input_indexes, inputs, strict=True):
            values[index] = value
        for first, second, output, bounds in self.steps:
            try:
                values[output] = np.clip(values[first] + values[second], *bounds)
            except ValueError as error:  # shapes may be known only now, and may not fit
                raise failure(str(error)) from error
        return [values[index] for index in main.output_indexes]
