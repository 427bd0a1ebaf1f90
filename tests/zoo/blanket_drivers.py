"""Drivers that treat everything alike, on the base classes of driver_kit alone; reached by ``python:FILE:NAME``."""

from collections.abc import Sequence
from typing import Any

from nnvet.driver_kit.base_device import BaseDevice
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.errors import invalid
from nnvet.hal.interfaces import Buffer, PreparedModelCallback
from nnvet.hal.types import Model, Operation, PrepareModelConfig


class SupportsNothing(BaseDevice):
    """The base class by itself."""

    name = "test-nothing"


class RefusesEverything(BaseDevice):
    """INVALID_ARGUMENT, whatever comes."""

    name = "test-refusing"

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Refuse."""
        raise invalid(f"{len(model.main.operations)} operations", "model/operation.type")

    def allocate(self, *_arguments: object) -> tuple[Buffer, int]:
        """Refuse."""
        raise invalid("no memory", "allocate/roles")


class ClaimsEverything(BaseDevice):
    """States that it supports every model, and prepares none."""

    name = "test-claiming"

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """All of them."""
        return (True,) * len(model.main.operations)

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Refuse."""
        del model, config
        error = invalid("nothing can be prepared", "prepare/supported")
        if callback is not None:
            callback.notify(error.status, None)
        raise error


class RefusesRequests(BaseDevice):
    """Prepares every valid model, and executes nothing."""

    name = "test-idle"

    def supports(self, model: Model, operation: Operation) -> bool:
        """Always."""
        del model, operation
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> BasePreparedModel:
        """A model without a use."""
        del config
        return _Idle(model)


class _Idle(BasePreparedModel):
    def _check(self, *_arguments: Any, **_named: Any) -> None:
        raise invalid("no request is taken", "request/inputs.count")


FACTORIES: Sequence[type[BaseDevice]] = (SupportsNothing, RefusesEverything, ClaimsEverything, RefusesRequests)
