"""The interfaces of a driver, as small protocols. Read :mod:`nnvet.hal.types` first.

:class:`Device` is the entry point: it answers queries and prepares a model, which becomes a :class:`PreparedModel`;
that has the ways to execute. Clients implement the callbacks. The transport has proxies with the same interfaces.

Every method may raise :class:`nnvet.hal.errors.HalError`, and nothing else. A driver in Python starts from
:class:`nnvet.driver_kit.base_device.BaseDevice`, which implements all methods that the driver leaves out.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import msgspec

from nnvet.hal import types as hal


@runtime_checkable
class PreparedModelCallback(Protocol):
    """Notified exactly once of how a preparation ended."""

    def notify(self, status: hal.ErrorStatus, prepared_model: "PreparedModel | None") -> None:
        """Report the end of a preparation; ``prepared_model`` is None unless ``status`` is NONE."""


@runtime_checkable
class ExecutionCallback(Protocol):
    """Notified exactly once of how an asynchronous execution ended (HIDL)."""

    def notify(self, status: hal.ErrorStatus, output_shapes: tuple[hal.OutputShape, ...], timing: hal.Timing) -> None:
        """Report the end of an execution. Shapes come with NONE and OUTPUT_INSUFFICIENT_SIZE, timing only with NONE."""


@runtime_checkable
class FencedExecutionCallback(Protocol):
    """Callback that a client asks for the outcome of a fenced execution once its fence has signalled."""

    def get_execution_info(self) -> tuple[hal.ErrorStatus, hal.Timing, hal.Timing]:
        """Return the status, the timing since the launch, and the timing since the last ``wait_for`` fence."""


class FencedExecutionResult(msgspec.Struct, frozen=True):
    """Answer of a fenced execution; no ``sync_fence`` means that it has finished successfully."""

    callback: FencedExecutionCallback
    sync_fence: hal.Handle | None = None


@runtime_checkable
class Execution(Protocol):
    """A reusable execution (FL8); at most one run in flight."""

    def execute_synchronously(self, deadline_ns: int) -> hal.ExecutionResult:
        """Run and wait; the contents of the request's memory may have changed since the last run."""

    def execute_fenced(
        self, wait_for: Sequence[hal.Handle], deadline_ns: int, duration_ns: int
    ) -> FencedExecutionResult:
        """Run once all ``wait_for`` fences have signalled; all output shapes must be known."""


@runtime_checkable
class Burst(Protocol):
    """A session of rapid executions; at most one in flight."""

    def execute_synchronously(
        self,
        request: hal.Request,
        memory_identifier_tokens: Sequence[int],
        config: hal.ExecutionConfig,
        deadline_ns: int,
    ) -> hal.ExecutionResult:
        """Run and wait; there is one token for each pool of the request, -1 for memory that must not be cached."""

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        """Forget the memory that was cached for the token; unknown tokens are ignored."""


@runtime_checkable
class Buffer(Protocol):
    """Device memory (FL4); requests name it by its token instead of a pool."""

    def copy_to(self, destination: hal.Memory) -> None:
        """Copy the whole buffer into memory of the same size."""

    def copy_from(self, source: hal.Memory, dimensions: Sequence[int]) -> None:
        """Fill the buffer from memory of the same size; empty ``dimensions`` mean those of the allocation."""


@runtime_checkable
class PreparedModel(Protocol):
    """A compiled model; any number of executions may run on the same prepared model at once."""

    def execute(
        self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, callback: ExecutionCallback
    ) -> None:
        """Launch an asynchronous execution (FL1 to FL4); an invalid request is raised and notified."""

    def execute_synchronously(
        self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int
    ) -> hal.ExecutionResult:
        """Execute and wait (FL3); the deadline is on the boot clock, NO_DEADLINE for none."""

    def execute_fenced(
        self,
        request: hal.Request,
        wait_for: Sequence[hal.Handle],
        config: hal.ExecutionConfig,
        deadline_ns: int,
        duration_ns: int,
    ) -> FencedExecutionResult:
        """Execute once all ``wait_for`` fences have signalled; all output shapes must be known."""

    def create_reusable_execution(self, request: hal.Request, config: hal.ExecutionConfig) -> Execution:
        """Return a reusable execution with fixed arguments (FL8)."""

    def configure_execution_burst(self) -> Burst:
        """Open a session of executions that follow each other quickly (FL3)."""


@runtime_checkable
class Device(Protocol):
    """Interface of a driver and of the client's proxy for it: queries, preparing models, allocating memory."""

    @property
    def name(self) -> str:
        """Name under which the service is known."""

    def get_feature_level(self) -> hal.FeatureLevel:
        """Return the newest interface that the driver implements."""

    def get_version_string(self) -> str:
        """Return the version of the driver: not empty, and different for different drivers of the device."""

    def get_type(self) -> hal.DeviceType:
        """Return CPU, GPU, ACCELERATOR or OTHER; never UNKNOWN."""

    def get_capabilities(self) -> hal.Capabilities:
        """Return execution time and power for each operand type, relative to the reference CPU; smaller is better."""

    def get_supported_extensions(self) -> tuple[hal.Extension, ...]:
        """Return the extensions that are fully supported."""

    def get_number_of_cache_files_needed(self) -> hal.NumberOfCacheFiles:
        """Return the numbers of cache files needed for compilation caching."""

    def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
        """Return one answer for each operation of the main subgraph; True is a promise to execute it."""

    def prepare_model(self, model: hal.Model, config: hal.PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Launch a preparation; invalid arguments are both raised and notified."""

    def prepare_model_from_cache(
        self,
        deadline_ns: int,
        model_cache: Sequence[hal.MappableFile],
        data_cache: Sequence[hal.MappableFile],
        token: bytes,
        callback: PreparedModelCallback,
    ) -> None:
        """Launch a preparation from cache files alone."""

    def allocate(
        self,
        desc: hal.BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[hal.BufferRole],
        output_roles: Sequence[hal.BufferRole],
    ) -> tuple[Buffer, int]:
        """Allocate device memory for the given uses, and return it with its token."""
