"""Drivers that accept models of a newer level or of any extension, which they cannot know; ``python:FILE:NAME``."""

from nnvet.hal.enums import FeatureLevel
from nnvet.hal.interfaces import Device
from nnvet.hal.operand_types import is_extension
from nnvet.hal.types import Model, Operation
from nnvet.hal.validation import validate_model
from nnvet.reference_driver.zoo.full_device import FullDevice


def careless_2() -> Device:
    """A driver that states HAL 1.1, but accepts the newest models and requests."""

    class Careless(FullDevice):
        feature_level = FeatureLevel.FL2

        def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
            validate_model(model, FeatureLevel.FL8)
            return tuple(self.supports(model, operation) for operation in model.main.operations)

    return Careless()


def any_extension() -> Device:
    """States that it supports every operation of every extension."""

    class Boastful(FullDevice):
        def supports(self, model: Model, operation: Operation) -> bool:
            return is_extension(operation.type) or super().supports(model, operation)

    return Boastful()
