"""Wrong drivers that treat all calls alike: they support nothing, refuse everything, or accept everything.

They test the suite: a check that passes with such a driver does not look at answers closely enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal import interfaces
from nnvet.hal import types as hal
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError, invalid
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_DESCRIPTIONS = (
    "BasicTest/CreateDevice",
    "BasicTest/Get*",
    "BasicTest/getNumberOfCacheFilesNeeded",
    "WireTest/*",
)
"""Cases that ask for descriptions of the device alone."""
_ANSWERS = (
    *_DESCRIPTIONS,
    "AnswerTest/PreparationNotifiedOnce",
    "AnswerTest/SupportedOperations",
    "RestartTest/Queries",
    "TestValidation/ModelExtensions/SetOperandExtensionData_Empty",
)
"""Cases about models that a driver need not support."""
_MODELS = (
    "OperationValidationTest/IF/*",
    "OperationValidationTest/WHILE/known-known-known",
    "TestCompliance/GeneratedComplianceTest/*",
    "TestCompliance/HardwareBufferModel",
    "TestCompliance/UnknownRank/*",
    "TestOperandExtraParams/TestChannelQuant",
    "TestValidateModel/*",
)
"""Cases that fail because the driver refuses a valid model."""
_NOTHING_EXECUTED = (
    *_ANSWERS,
    *_MODELS,
    "AnswerTest/PreparationWithoutCallback",
    "BasicTest/CycleTest",
    "ExtensionTest/*",
    "FibonacciExtensionTest/*",
    "IsolationTest/Buffer",
    "IsolationTest/RoleOfOther",
    "IsolationTest/Tokens",
    "LeakTest/DeviceMemory",
    "MemoryDomainAllocateTest/*",
    "MemoryDomainCopyTest/*",
    # Only copies: nothing is executed.
    "MemoryDomainConcurrencyTest/ConcurrentUse/CopyFrom*_Copy*",
    "MemoryTypeTest/InvalidModelPool/*",
    "OperationValidationTest/*",
    "PersistentTest/AfterLongPastDeadline/prepareModel",
    "TestOperandExtraParams/*",
    "TestValidation/Compilation/*",
    "TestValidation/Identify/*",
    "TestValidation/Model/*",
    "TestValidation/ModelExtensions/*",
)
"""Cases that pass although the driver executes nothing."""
_ALL_BUT_RANDOM_GRAPHS = ("[!RT]*", "RandomModels/[BN]*", "T[!e]*", "Test[!R]*", "TestRe*")
"""All suites but named tests of random graphs, whose results may by chance be what is in memory anyway."""


@bug("supports-nothing", "No operation is supported.", rules=(), breaks=("*",), spares=_ANSWERS)
def supports_nothing() -> interfaces.Device:
    """Refuse every preparation properly."""

    class SupportsNothing(FullDevice):
        def supports(self, model: hal.Model, operation: hal.Operation) -> bool:
            """Return False."""
            del model, operation
            return False

        def get_supported_extensions(self) -> tuple[hal.Extension, ...]:
            """Return no extensions."""
            return ()

    return SupportsNothing()


@bug(
    "refuses-everything",
    "Every model, cache and allocation is refused.",
    rules=(
        "extension/unknown",
        "prepare/valid",
    ),
    breaks=("*",),
    spares=(*_DESCRIPTIONS, "ExtensionTest/ReportedTypes"),
)
def refuses_everything() -> interfaces.Device:
    """Raise and notify INVALID_ARGUMENT for every call."""

    class RefusesEverything(FullDevice):
        def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
            """Refuse."""
            del model
            raise _refused()

        def prepare_model(
            self, model: hal.Model, config: hal.PrepareModelConfig, callback: interfaces.PreparedModelCallback
        ) -> None:
            """Refuse."""
            del model, config
            _refuse_preparation(callback)

        def prepare_model_from_cache(
            self,
            deadline_ns: int,
            model_cache: Sequence[hal.MappableFile],
            data_cache: Sequence[hal.MappableFile],
            token: bytes,
            callback: interfaces.PreparedModelCallback,
        ) -> None:
            """Refuse."""
            del deadline_ns, model_cache, data_cache, token
            _refuse_preparation(callback)

        def allocate(self, *_arguments: object) -> tuple[interfaces.Buffer, int]:
            """Refuse."""
            raise _refused()

    return RefusesEverything()


@bug(
    "refuses-requests",
    "Valid models are prepared, every request is refused.",
    rules=(
        "buffer/failed",
        "buffer/output",
        "buffer/uninitialised",
        "burst/recovery",
        "cache/same_results",
        "client/interference",
        "execution/concurrent",
        "execution/deadline.status",
        "execution/duration.status",
        "execution/fence",
        "execution/in_flight",
        "execution/output.dimensions",
        "execution/output.insufficient",
        "execution/oversized",
        "execution/status",
        "extension/hints",
        "memory/map",
    ),
    breaks=("*",),
    spares=_NOTHING_EXECUTED,
)
def refuses_requests() -> interfaces.Device:
    """Raise and notify INVALID_ARGUMENT for every request."""

    class RefusesRequests(ReferencePreparedModel):
        def _check(self, *_arguments: Any, **_named: Any) -> None:
            raise _refused()

    return with_prepared_model(RefusesRequests)


def _refused() -> HalError:
    return invalid("everything is refused", "driver/operation.supported")


def _refuse_preparation(callback: interfaces.PreparedModelCallback | None) -> None:
    error = _refused()
    if callback is not None:
        callback.notify(error.status, None)
    raise error


_STRANGERS = ("MemoryDomainAllocateTest/InvalidPreparedModel/*",)
"""Cases with a prepared model of another driver, which the service itself refuses."""


@bug(
    "accepts-everything",
    "Every call succeeds, nothing is computed.",
    rules=(
        "[A-Z]*/types",
        "[A-Z]*/ranks",
        "[A-Z]*.rank",
        "[A-Z]*/quantization",
        "MUL/output.scale",
        "WHILE/known_sizes",
        "allocate/answer",
        "allocate/dimensions",
        "allocate/dimensions.scalar",
        "allocate/io_index",
        "allocate/model",
        "allocate/model_index",
        "allocate/probability",
        "allocate/quantization",
        "allocate/role.unique",
        "allocate/roles",
        "allocate/type",
        "buffer/content",
        "buffer/copy.dimensions",
        "buffer/copy.size",
        "buffer/dimensions",
        "buffer/exclusive",
        "buffer/failed",
        "buffer/memory",
        "buffer/output",
        "buffer/released",
        "buffer/role",
        "buffer/token",
        "buffer/uninitialised",
        "burst/slot",
        "cache/same_results",
        "client/isolation",
        "execution/concurrent",
        "execution/deadline",
        "execution/deadline.status",
        "execution/duration.status",
        "execution/expected_failure",
        "execution/fence",
        "execution/fence.order",
        "execution/in_flight",
        "execution/invalid",
        "execution/loop_timeout",
        "execution/output.insufficient",
        "execution/output.shapes",
        "execution/output.value",
        "execution/oversized",
        "extension/unknown",
        "model/inputs.listed",
        "model/operand.channel_dim",
        "model/operand.channel_scales",
        "model/operand.dimensions.constant",
        "model/operand.dimensions.overflow",
        "model/operand.dimensions.scalar",
        "model/operand.extra_params",
        "model/operand.location.length",
        "model/operand.location.pool",
        "model/operand.scale",
        "model/operand.subgraph",
        "model/operand.type",
        "model/operand.zero_point",
        "model/operands.empty",
        "model/operation.type",
        "model/order.never_written",
        "model/order.read_before_write",
        "model/order.written_once",
        "model/outputs.listed",
        "model/pool.valid",
        "prepare/notified_once",
        "prepare/preference",
        "prepare/priority",
        "request/pool.bounds",
        "request/pool.valid",
    ),
    breaks=_ALL_BUT_RANDOM_GRAPHS,
    # The service keeps clients apart, not the driver inside.
    spares=(*_ANSWERS, *_MODELS, *_STRANGERS, "IsolationTest/RoleOfOther", "ExtensionTest/Prefix/*"),
)
def accepts_everything() -> interfaces.Device:
    """Accept models, requests, caches, allocations and copies without a check."""
    return _AcceptsEverything()


class _AcceptsEverything(BaseDevice):
    name = "nnvet-zoo-accepting"

    def get_number_of_cache_files_needed(self) -> hal.NumberOfCacheFiles:
        """Return one file of each kind."""
        return hal.NumberOfCacheFiles(1, 1)

    def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
        """Return True for every operation."""
        return (True,) * len(model.main.operations)

    def prepare_model(
        self, model: hal.Model, config: hal.PrepareModelConfig, callback: interfaces.PreparedModelCallback
    ) -> None:
        """Report success."""
        del model, config
        _accept_preparation(callback)

    def prepare_model_from_cache(
        self,
        deadline_ns: int,
        model_cache: Sequence[hal.MappableFile],
        data_cache: Sequence[hal.MappableFile],
        token: bytes,
        callback: interfaces.PreparedModelCallback,
    ) -> None:
        """Report success."""
        del deadline_ns, model_cache, data_cache, token
        _accept_preparation(callback)

    def allocate(
        self,
        desc: hal.BufferDesc,
        prepared_models: Sequence[interfaces.PreparedModel],
        input_roles: Sequence[hal.BufferRole],
        output_roles: Sequence[hal.BufferRole],
    ) -> tuple[interfaces.Buffer, int]:
        """Return the same token each time."""
        del desc, prepared_models, input_roles, output_roles
        return _Accepting(), 1


def _accept_preparation(callback: interfaces.PreparedModelCallback | None) -> None:
    if callback is not None:
        callback.notify(ErrorStatus.NONE, _Accepting())


class _Accepting:
    """An object that accepts every call of a prepared model, burst, reusable execution, buffer or fenced callback."""

    def execute(
        self,
        request: hal.Request,
        config: hal.ExecutionConfig,
        deadline_ns: int,
        callback: interfaces.ExecutionCallback,
    ) -> None:
        """Report success."""
        del request, config, deadline_ns
        if callback is not None:
            callback.notify(ErrorStatus.NONE, (), hal.Timing())

    def execute_synchronously(self, *_arguments: object) -> hal.ExecutionResult:
        """Report success."""
        return hal.ExecutionResult()

    def execute_fenced(self, *_arguments: object) -> interfaces.FencedExecutionResult:
        """Report success; no fence is needed."""
        return interfaces.FencedExecutionResult(self)

    def get_execution_info(self) -> tuple[ErrorStatus, hal.Timing, hal.Timing]:
        """Report success."""
        return ErrorStatus.NONE, hal.Timing(), hal.Timing()

    def create_reusable_execution(self, request: hal.Request, config: hal.ExecutionConfig) -> interfaces.Execution:
        """Return another object of this class."""
        del request, config
        return _Accepting()

    def configure_execution_burst(self) -> interfaces.Burst:
        """Return another object of this class."""
        return _Accepting()

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        """Do nothing: no memory was kept."""

    def copy_to(self, destination: hal.Memory) -> None:
        """Leave the memory unchanged."""

    def copy_from(self, source: hal.Memory, dimensions: Sequence[int]) -> None:
        """Ignore the source."""
