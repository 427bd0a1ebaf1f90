"""Building and preparing the model of a spec for checks that go on from there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.hal_model import build_model, close_pools
from nnvet.generators.hal_request import PackedRequest, pack_request
from nnvet.generators.test_model import TestModel, operation_name
from nnvet.hal.conversion import without_consumers
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.hal.validation import required_level


@contextmanager
def built_model(test: TestModel, level: int) -> Iterator[Model]:
    """The model of a test as a driver of ``level`` sees it, while the block runs.

    :raises CaseFailed: it needs a higher level.
    """
    model = build_model(test)
    try:
        needed = _needed(model)
        if needed > level:
            raise unsupported(f"the model needs feature level {needed}, the driver has {level}", "model/level")
        yield model if level <= LAST_HIDL_LEVEL else without_consumers(model)
    finally:
        close_pools(model)


@contextmanager
def packed_request(test: TestModel) -> Iterator[PackedRequest]:
    """The test's request, in plain shared memory, while the block runs."""
    packed = pack_request(test)
    try:
        yield packed
    finally:
        packed.close()


def _needed(model: Model) -> int:
    try:
        return required_level(model)
    except HalError:
        # A model that must fail may do so by being invalid.
        return 1


def supported_operations(subject: Subject, model: Model) -> tuple[bool, ...]:
    """The driver's answer for a valid model.

    :raises CaseFailed: it refuses the model, or does not answer for each operation.
    """
    try:
        supported = subject.device.get_supported_operations(model)
    except HalError as error:
        raise fail(
            "prepare/valid",
            f"getSupportedOperations fails for a valid model: {error}",
            status=error.status.name,
            driver_rule=error.rule,
        ) from error
    if len(supported) != len(model.main.operations):
        reason = f"{len(supported)} answers for {len(model.main.operations)} operations"
        raise fail("prepare/supported.count", reason)
    return supported


def prepared_model(subject: Subject, model: Model, config: PrepareModelConfig | None = None) -> PreparedModel:
    """A valid model, prepared.

    :raises CaseFailed: the driver refuses it, although it supports all operations; or does not support them.
    """
    supported = supported_operations(subject, model)
    try:
        return subject.prepare(model, config)
    except HalError as error:
        if not all(supported):
            raise unsupported(_reason(model, supported)) from error
        raise fail(
            "prepare/supported",
            f"all operations are supported, but the model cannot be prepared: {error}",
            status=error.status.name,
            driver_rule=error.rule,
        ) from error


def _reason(model: Model, supported: tuple[bool, ...]) -> str:
    operations = zip(model.main.operations, supported, strict=True)
    names = {operation_name(operation.type) for operation, answer in operations if not answer}
    return f"the driver does not support {', '.join(sorted(names))}"
