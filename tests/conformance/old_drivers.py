"""Drivers of lower feature levels, and one that takes whatever names its extension; ``python:FILE:NAME``."""

from nnvet.hal.enums import FeatureLevel
from nnvet.hal.interfaces import Device
from nnvet.hal.operand_types import is_extension
from nnvet.hal.types import Model, Operation
from nnvet.hal.validation import validate_model
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice


def _of_level(level: FeatureLevel) -> FullDevice:
    """The bundled driver, as if it were older: newer models and requests are refused."""

    class OldPrepared(ReferencePreparedModel):
        feature_level = level

    device = FullDevice()
    device.feature_level = level
    device.prepared_model = OldPrepared
    return device


def level_1() -> Device:
    """A driver of HAL 1.0."""
    return _of_level(FeatureLevel.FL1)


def level_3() -> Device:
    """A driver of HAL 1.2."""
    return _of_level(FeatureLevel.FL3)


def level_4() -> Device:
    """A driver of HAL 1.3."""
    return _of_level(FeatureLevel.FL4)


def level_5() -> Device:
    """The first driver of AIDL."""
    return _of_level(FeatureLevel.FL5)


def careless_2() -> Device:
    """A driver that says it is of HAL 1.1, and takes the newest models and requests."""

    class Careless(FullDevice):
        feature_level = FeatureLevel.FL2

        def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
            validate_model(model, FeatureLevel.FL8)
            return tuple(self.supports(model, operation) for operation in model.main.operations)

    return Careless()


def any_extension() -> Device:
    """Every operation of every extension is supported, it says."""

    class Boastful(FullDevice):
        def supports(self, model: Model, operation: Operation) -> bool:
            return is_extension(operation.type) or super().supports(model, operation)

    return Boastful()
