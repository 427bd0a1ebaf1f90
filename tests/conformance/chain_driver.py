"""A driver that computes by the oracle, with the fault that ``chains.py`` plants."""

from collections.abc import Sequence
from typing import Any

from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.types import Model, Operation, PrepareModelConfig
from nnvet.oracle.execution import evaluate
from tests.conformance.chains import compute


class ChainModel(BasePreparedModel):
    """One operation after the other."""

    def compute(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """Results of the oracle, but for the fault."""
        return evaluate(self.model, list(inputs), compute)


class ChainDevice(BaseDevice):
    """Takes everything."""

    name = "chain"

    def supports(self, model: Model, operation: Operation) -> bool:
        """Whatever it is."""
        del model, operation
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> BasePreparedModel:
        """Keep the model."""
        del config
        return ChainModel(model)
