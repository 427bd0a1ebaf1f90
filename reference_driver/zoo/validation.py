"""Planted bugs of validation: broken models and requests that are accepted, or refused with a wrong answer.

Each decorated function makes one wrong driver; :mod:`nnvet.reference_driver.zoo.registry` explains the decorator.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from nnvet.hal import types as hal
from nnvet.hal.enums import OperationType
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device, ExecutionCallback, FencedExecutionResult, PreparedModelCallback
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_TEST = "ValidationTest/Test/"
"""Check of mutated models of specs, as in VTS."""
_FURTHER = "ValidationTest/FurtherMutations/"
"""Check of mutations beyond those of VTS."""
_CTS = "TestValidation/Model/"
"""Check of mutated models, as in CTS."""
_VALID = (f"{_TEST}zoo_add_*", f"{_TEST}zoo_signed_*")
"""Cases of mutations of valid models."""
_ALL = f"{_TEST}zoo_*"
"""Cases of mutations of all models."""
_LATE_S = 0.5
"""Delay of a late notification."""
_OVERWRITTEN = (f"{_FURTHER}zoo_add_two", f"{_FURTHER}zoo_failure_gather")
"""Cases of operands that are written twice."""


class _Blind(FullDevice):
    """A driver that does not see mistakes of some kind in a model."""

    unseen: tuple[str, ...] = ()

    def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
        """Return True for every operation if the mistake breaks one of the ``unseen`` rules."""
        try:
            return super().get_supported_operations(model)
        except HalError as error:
            if error.rule not in self.unseen:
                raise
            return (True,) * len(model.main.operations)


def _blind(*rules: str) -> Device:
    device = _Blind()
    device.unseen = rules
    return device


@bug(
    "model-any-order",
    "Operations may come in any order.",
    rules=("model/order.read_before_write",),
    breaks=("BasicTest/CycleTest", f"{_TEST}zoo_[af]*", f"{_CTS}MissingWrite"),
)
def model_any_order() -> Device:
    """Accept an operand that is read before it is written."""
    return _blind("model/order.read_before_write")


@bug(
    "model-two-writers",
    "Two operations may write the same operand.",
    rules=("model/order.written_once",),
    breaks=(_ALL, *_OVERWRITTEN, f"{_CTS}MultipleWrite"),
)
def model_two_writers() -> Device:
    """Accept two writers; the later one wins."""
    return _blind("model/order.written_once")


@bug("model-any-scale", "Scales are not looked at.", rules=("model/operand.scale",), breaks=(_ALL, f"{_CTS}AddOperand"))
def model_any_scale() -> Device:
    """Accept a scale of 0 for quantised operands, and of 1 for others."""
    return _blind("model/operand.scale")


@bug(
    "model-types-unchecked",
    "Operand types of an operation need not fit together.",
    rules=("[A-Z]*/types",),
    breaks=(_ALL, *_OVERWRITTEN, "OperationValidationTest/Types/*"),
)
def model_types_unchecked() -> Device:
    """Accept every combination of types."""
    return _blind(*(f"{kind.name}/types" for kind in OperationType))


@bug(
    "model-signed-zero-point",
    "Any zero point goes for signed operands, which VTS does not see.",
    rules=("model/operand.zero_point",),
    breaks=(f"{_TEST}zoo_signed_*",),
)
def model_signed_zero_point() -> Device:
    """Accept zero points that fit the field but not the type."""

    def cured(operand: hal.Operand) -> hal.Operand:
        low, high = OPERAND_TYPES[hal.OperandType.TENSOR_QUANT8_ASYMM_SIGNED].zero_point
        is_signed = operand.type == hal.OperandType.TENSOR_QUANT8_ASYMM_SIGNED
        return replace(operand, zero_point=min(max(operand.zero_point, low), high)) if is_signed else operand

    class Clamps(FullDevice):
        def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
            """Answer for the model with legal zero points."""
            operands = tuple(cured(operand) for operand in model.main.operands)
            return super().get_supported_operations(replace(model, main=replace(model.main, operands=operands)))

    return Clamps()


@bug(
    "model-unsupported-not-invalid",
    "A broken model is called unsupported instead of invalid.",
    rules=("model/operation.type",),
    breaks=(_ALL, f"{_CTS}AddOperation"),
)
def model_unsupported_not_invalid() -> Device:
    """Answer False for the operations of a broken model instead of INVALID_ARGUMENT."""

    class Shrugs(FullDevice):
        def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
            """Return False for every operation."""
            try:
                return super().get_supported_operations(model)
            except HalError as error:
                if error.rule != "model/operation.type":
                    raise
                return (False,) * len(model.main.operations)

    return Shrugs()


@bug(
    "model-invalid-fails",
    "A model with an unknown operation is a GENERAL_FAILURE.",
    rules=("prepare/invalid",),
    breaks=(_ALL, f"{_CTS}AddOperation"),
)
def model_invalid_fails() -> Device:
    """Answer with the wrong one of two errors."""

    class Vague(FullDevice):
        def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
            """Change the status of the error."""
            try:
                return super().get_supported_operations(model)
            except HalError as error:
                if error.rule != "model/operation.type":
                    raise
                raise failure(error.message, error.rule) from error

    return Vague()


@bug(
    "priority-any",
    "Every priority goes.",
    rules=("prepare/priority",),
    breaks=(_ALL, "TestValidation/Compilation/SetPriority"),
)
def priority_any() -> Device:
    """Replace an unknown priority by the default."""

    class Lenient(FullDevice):
        def prepare_model(
            self, model: hal.Model, config: hal.PrepareModelConfig, callback: PreparedModelCallback
        ) -> None:
            """Replace an unknown priority."""
            if config.priority not in hal.Priority.__members__.values():
                config = replace(config, priority=hal.Priority.MEDIUM)
            super().prepare_model(model, config, callback)

    return Lenient()


class _WrongStatus(ReferencePreparedModel):
    """A prepared model that fails a request without outputs, but does not call it invalid."""

    def _check(self, request: hal.Request, *arguments: Any, **named: Any) -> None:
        try:
            super()._check(request, *arguments, **named)
        except HalError as error:
            if len(request.outputs) >= len(self.model.main.output_indexes):
                raise
            raise failure(error.message, error.rule) from error


@bug(
    "request-wrong-status",
    "A request without outputs is a GENERAL_FAILURE.",
    rules=("execution/invalid",),
    breaks=_VALID,
)
def request_wrong_status() -> Device:
    """Answer with the wrong one of two errors."""
    return with_prepared_model(_WrongStatus)


@bug(
    "request-measures-refusals",
    "Asynchronous executions that lack an input report a timing with the refusal.",
    rules=("driver/notification",),
    breaks=_VALID,
)
def request_measures_refusals() -> Device:
    """Add a timing to an error."""

    class Measures(ReferencePreparedModel):
        def execute(
            self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, callback: ExecutionCallback
        ) -> None:
            """Add a timing to the refusal."""
            lacks_input = callback and len(request.inputs) < len(self.model.main.input_indexes)
            super().execute(request, config, deadline_ns, _Timed(callback) if lacks_input else callback)

    return with_prepared_model(Measures)


@bug(
    "request-refused-late",
    "Asynchronous executions that lack an input are notified long after the call has refused them.",
    rules=("execution/notified_at_once",),
    breaks=_VALID,
)
def request_refused_late() -> Device:
    """Let a timer notify the refusal."""

    class Late(ReferencePreparedModel):
        def execute(
            self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, callback: ExecutionCallback
        ) -> None:
            """Delay the notification of the refusal."""
            lacks_input = callback and len(request.inputs) < len(self.model.main.input_indexes)
            super().execute(request, config, deadline_ns, _Delayed(callback) if lacks_input else callback)

    return with_prepared_model(Late)


class _Delayed:
    def __init__(self, callback: ExecutionCallback) -> None:
        self._callback = callback

    def notify(self, *outcome: Any) -> None:
        """Pass the notification on after a pause."""
        timer = threading.Timer(_LATE_S, self._callback.notify, outcome)
        timer.daemon = True
        timer.start()


class _Timed:
    def __init__(self, callback: ExecutionCallback) -> None:
        self._callback = callback

    def notify(self, status: hal.ErrorStatus, output_shapes: Any, timing: hal.Timing) -> None:
        """Pass on, with a timing for invalid requests."""
        invalid = status is hal.ErrorStatus.INVALID_ARGUMENT
        self._callback.notify(status, output_shapes, hal.Timing(1, 2) if invalid else timing)


@bug(
    "fence-ignored",
    "Fences without descriptor are not waited for, and not refused.",
    rules=("execution/fence",),
    breaks=_VALID,
)
def fence_ignored() -> Device:
    """Drop fences without a descriptor, as if they had signalled."""

    class Ignores(ReferencePreparedModel):
        def execute_fenced(
            self,
            request: hal.Request,
            wait_for: Sequence[hal.Handle],
            config: hal.ExecutionConfig,
            deadline_ns: int,
            duration_ns: int,
        ) -> FencedExecutionResult:
            """Wait only for fences that have a descriptor."""
            fences = [fence for fence in wait_for if fence.fd >= 0]
            return super().execute_fenced(request, fences, config, deadline_ns, duration_ns)

    return with_prepared_model(Ignores)


@bug(
    "request-kills",
    "A request without inputs ends the driver's process.",
    rules=("driver/crash",),
    breaks=_VALID,
    service=True,
)
def request_kills() -> Device:
    """End the process instead of returning an error."""

    class Fragile(ReferencePreparedModel):
        def _check(self, request: hal.Request, *arguments: Any, **named: Any) -> None:
            if len(request.inputs) < len(self.model.main.input_indexes):
                os._exit(3)
            super()._check(request, *arguments, **named)

    return with_prepared_model(Fragile)
