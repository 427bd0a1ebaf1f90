"""The interfaces of a driver, as small protocols. Read :mod:`nnvet.hal.types` first.

Every method may raise :class:`nnvet.hal.errors.HalError`, and nothing else. A driver in Python starts from
:class:`nnvet.driver_kit.base_device.BaseDevice`, which answers for whatever the driver leaves out.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import msgspec

from nnvet.hal.types import (
    BufferDesc,
    BufferRole,
    Capabilities,
    DeviceType,
    ErrorStatus,
    ExecutionConfig,
    ExecutionResult,
    Extension,
    FeatureLevel,
    Handle,
    MappableFile,
    Memory,
    Model,
    NumberOfCacheFiles,
    OutputShape,
    PrepareModelConfig,
    Request,
    Timing,
)


@runtime_checkable
class PreparedModelCallback(Protocol):
    """Notified exactly once of how a preparation ended."""

    def notify(self, status: ErrorStatus, prepared_model: "PreparedModel | None") -> None:
        """``prepared_model`` is None unless ``status`` is NONE."""


@runtime_checkable
class ExecutionCallback(Protocol):
    """Notified exactly once of how an asynchronous execution ended (HIDL)."""

    def notify(self, status: ErrorStatus, output_shapes: tuple[OutputShape, ...], timing: Timing) -> None:
        """Shapes only with NONE and OUTPUT_INSUFFICIENT_SIZE; timing only with NONE, when measured."""


@runtime_checkable
class FencedExecutionCallback(Protocol):
    """Tells the outcome of a fenced execution once its fence has signalled."""

    def get_execution_info(self) -> tuple[ErrorStatus, Timing, Timing]:
        """Status, timing since the launch, timing since the last ``wait_for`` fence signalled."""


class FencedExecutionResult(msgspec.Struct, frozen=True):
    """Answer of a fenced execution; no ``sync_fence`` means that it has finished successfully."""

    callback: FencedExecutionCallback
    sync_fence: Handle | None = None


@runtime_checkable
class Execution(Protocol):
    """A reusable execution (FL8); at most one run in flight."""

    def execute_synchronously(self, deadline_ns: int) -> ExecutionResult:
        """Run; contents of the request's memory may have changed since the last run."""

    def execute_fenced(self, wait_for: Sequence[Handle], deadline_ns: int, duration_ns: int) -> FencedExecutionResult:
        """Run once all ``wait_for`` fences have signalled; all output shapes must be known."""


@runtime_checkable
class Burst(Protocol):
    """A session of rapid executions; at most one in flight."""

    def execute_synchronously(
        self,
        request: Request,
        memory_identifier_tokens: Sequence[int],
        config: ExecutionConfig,
        deadline_ns: int,
    ) -> ExecutionResult:
        """Run; one token for each pool of the request, -1 for memory that must not be cached."""

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        """Forget what was cached for the token; unknown tokens are ignored."""


@runtime_checkable
class Buffer(Protocol):
    """Memory of the driver's own (FL4), which requests name by its token in place of a pool."""

    def copy_to(self, destination: Memory) -> None:
        """Copy all of it into memory of the same size."""

    def copy_from(self, source: Memory, dimensions: Sequence[int]) -> None:
        """Fill it from memory of the same size; empty ``dimensions`` mean those of the allocation."""


@runtime_checkable
class PreparedModel(Protocol):
    """A compiled model; any number of executions may run on it at once."""

    def execute(self, request: Request, config: ExecutionConfig, deadline_ns: int, callback: ExecutionCallback) -> None:
        """Launch an asynchronous execution (FL1 to FL4); an invalid request is raised and notified."""

    def execute_synchronously(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Execute and wait (FL3); the deadline is on the boot clock, NO_DEADLINE for none."""

    def execute_fenced(
        self,
        request: Request,
        wait_for: Sequence[Handle],
        config: ExecutionConfig,
        deadline_ns: int,
        duration_ns: int,
    ) -> FencedExecutionResult:
        """Execute once all ``wait_for`` fences have signalled; all output shapes must be known."""

    def create_reusable_execution(self, request: Request, config: ExecutionConfig) -> Execution:
        """Fix the arguments of executions to come (FL8)."""

    def configure_execution_burst(self) -> Burst:
        """Open a session of executions that follow each other quickly (FL3)."""


@runtime_checkable
class Device(Protocol):
    """Interface of a driver and of the client's proxy for it: queries, preparing models, allocating memory."""

    @property
    def name(self) -> str:
        """Name under which the service is known."""

    def get_feature_level(self) -> FeatureLevel:
        """Newest interface that the driver implements."""

    def get_version_string(self) -> str:
        """Version of the driver; not empty, different for different drivers of the device."""

    def get_type(self) -> DeviceType:
        """Return CPU, GPU, ACCELERATOR or OTHER; never UNKNOWN."""

    def get_capabilities(self) -> Capabilities:
        """Execution time and power for each operand type, relative to the reference CPU; smaller is better."""

    def get_supported_extensions(self) -> tuple[Extension, ...]:
        """Extensions that are fully supported."""

    def get_number_of_cache_files_needed(self) -> NumberOfCacheFiles:
        """Cache files needed for compilation caching."""

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """One answer for each operation of the main subgraph; True is a promise."""

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Launch a preparation; invalid arguments are both raised and notified."""

    def prepare_model_from_cache(
        self,
        deadline_ns: int,
        model_cache: Sequence[MappableFile],
        data_cache: Sequence[MappableFile],
        token: bytes,
        callback: PreparedModelCallback,
    ) -> None:
        """Launch a preparation from cache files alone."""

    def allocate(
        self,
        desc: BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[BufferRole],
        output_roles: Sequence[BufferRole],
    ) -> tuple[Buffer, int]:
        """Device memory for the given uses, with its token."""
