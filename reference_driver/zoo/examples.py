"""Wrong drivers that break many cases, each with one group of cases that shows the fault.

The other modules of the zoo list every case that a bug breaks. A driver that offers no bursts, or returns no token,
breaks all cases that need them; here the registry names only some of these cases, and the rule by which all of them
fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeAlias

from msgspec.structs import replace

from nnvet.hal.enums import ErrorStatus, FeatureLevel
from nnvet.hal.errors import HalError, invalid
from nnvet.hal.interfaces import Buffer, Burst, Device
from nnvet.hal.operand_types import is_extension
from nnvet.hal.types import (
    ExecutionConfig,
    ExecutionResult,
    Model,
    NumberOfCacheFiles,
    Operation,
    OutputShape,
    PrepareModelConfig,
    Request,
)
from nnvet.hal.validation import validate_model
from nnvet.reference_driver.caching import CompilationCache
from nnvet.reference_driver.caching.compilation_cache import Build
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import example_bug
from nnvet.transport.burst.server import BurstServer

_SAVING = "CompilationCachingTest/CacheSavingAndRetrieval/*"
"""Cases that save to a cache and prepare from it."""
_UNINITIALISED = "MemoryDomainCopyTest/CopyTo_Uninit*"
"""Cases that copy from device memory without content."""

Allocated: TypeAlias = tuple[Buffer, int]
"""Answer of an allocation: buffer and token."""


def _with_server(server: type[BurstServer]) -> Device:
    """Return a driver whose bursts are served by another class."""

    class Serving(ReferencePreparedModel):
        burst_server = server

    return with_prepared_model(Serving)


@example_bug("burst-refused", "No burst is opened.", "ValidateBurst/*/sum", "execution/status")
def refuse_bursts() -> Device:
    """Refuse what every prepared model has to offer."""

    class Without(ReferencePreparedModel):
        def configure_execution_burst(self) -> NoReturn:
            """Refuse."""
            raise HalError(ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, "all bursts are taken")

    return with_prepared_model(Without)


@example_bug(
    "burst-long-queues-only",
    "Queues of results that are shorter than usual are refused.",
    "ValidateBurst/validateBurstFmqLength/*",
    "burst/length",
)
def take_long_queues_only() -> Device:
    """Take queues of the usual length alone."""

    class Demanding(BurstServer):
        def __init__(self, burst: Burst, requests: Any, results: Any, *rest: Any) -> None:
            """Look at the length."""
            if results.capacity < 1024:  # noqa: PLR2004 - the reference client's (docs/contract/hal.md 2)
                raise HalError(ErrorStatus.INVALID_ARGUMENT, "the queue is too short", "driver/queue")
            super().__init__(burst, requests, results, *rest)

    return _with_server(Demanding)


@example_bug(
    "burst-miscounts", "Every result packet says that it has a datum more.", "ValidateBurst/*/sum", "burst/packet"
)
def miscount_datums() -> Device:
    """Send ill-formed results."""

    class Miscounting(BurstServer):
        def _answer(self, packet: bytes) -> bytes:
            answer = bytearray(super()._answer(packet))
            # The low byte of the number of datums, behind the size and the status of the packet.
            answer[8] += 1
            return bytes(answer)

    return _with_server(Miscounting)


@example_bug(
    "burst-executes-once",
    "A burst executes its first request, and answers all later ones with the first result.",
    "ValidateBurst/removeDatum/*",
    "execution/output.value",
)
def execute_once() -> Device:
    """Execute once for each burst."""

    class Once(ReferencePreparedModel):
        def configure_execution_burst(self) -> Burst:
            """Wrap the burst."""
            return _OnlyOnce(super().configure_execution_burst())

    return with_prepared_model(Once)


class _OnlyOnce:
    """Burst that keeps its first result."""

    def __init__(self, burst: Burst) -> None:
        self._burst = burst
        self._result: ExecutionResult | None = None

    def execute_synchronously(
        self, request: Request, memory_identifier_tokens: Sequence[int], config: ExecutionConfig, deadline_ns: int
    ) -> ExecutionResult:
        """See :class:`nnvet.hal.interfaces.Burst`."""
        if self._result is None:
            self._result = self._burst.execute_synchronously(request, memory_identifier_tokens, config, deadline_ns)
        return self._result

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        """See :class:`nnvet.hal.interfaces.Burst`."""
        self._burst.release_memory_resource(memory_identifier_token)


def _with_allocate(answer: Callable[[Allocated], Any]) -> Device:
    """Return a driver that changes what an allocation gives back."""

    class Answering(FullDevice):
        def allocate(self, *arguments: Any, **named: Any) -> Allocated:
            """Allocate, and answer something else."""
            changed: Allocated = answer(super().allocate(*arguments, **named))
            return changed

    return Answering()


# The first two are BAD_TOKEN and BAD_IBUFFER of CTS (docs/contract/cts-tests.md 2.7).
@example_bug("buffer-token-zero", "A buffer comes without a token.", _UNINITIALISED, "allocate/answer")
def give_no_token() -> Device:
    """Answer the token 0."""
    return _with_allocate(lambda allocated: (allocated[0], 0))


@example_bug("buffer-missing", "A token comes without a buffer.", _UNINITIALISED, "driver/reply")
def give_no_buffer() -> Device:
    """Answer no buffer."""
    return _with_allocate(lambda allocated: (None, allocated[1]))


@example_bug(
    "buffer-exception", "Allocations end with an exception that is no HalError.", _UNINITIALISED, "driver/exception"
)
def raise_in_allocate() -> Device:
    """Raise an exception of Python."""

    def fail(_allocated: Allocated) -> NoReturn:
        raise KeyError("nothing")

    return _with_allocate(fail)


class _NoneBlaming(CompilationCache):
    """A cache that saves nothing, and answers INVALID_ARGUMENT in place of GENERAL_FAILURE."""

    files_needed = NumberOfCacheFiles()

    def compile(self, model: Model, config: PrepareModelConfig, build: Build) -> ReferencePreparedModel:
        """Ignore all files."""
        return build(model, config)

    def load(self, *_: object) -> ReferencePreparedModel:
        """Blame the client."""
        raise invalid("no caching", "cache/unsupported")


class _Misreporting(ReferencePreparedModel):
    def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Report right values with the dimensions of something else."""
        result = super().run(request, config, deadline_ns)
        return replace(result, output_shapes=tuple(OutputShape((1, 1)) for _ in result.output_shapes))


class _Misreports(CompilationCache):
    """A cache whose models compute the right values, but report wrong dimensions."""

    def load(self, *arguments: Any) -> ReferencePreparedModel:
        """Load another class of prepared models."""
        loaded = super().load(*arguments)
        return _Misreporting(loaded.model, loaded.compiled)


def _with_cache(cache: type[CompilationCache]) -> Device:
    device = FullDevice()
    device.cache = cache(device.name, device.version, device.extensions)
    return device


@example_bug(
    "cache-none-blames",
    "Nothing is cached: a request for a cached model is answered with INVALID_ARGUMENT.",
    _SAVING,
    "cache/unsupported",
)
def blame_without_cache() -> Device:
    """Answer the wrong status, where there is no caching."""
    return _with_cache(_NoneBlaming)


@example_bug(
    "cache-misreports",
    "Models from a cache compute the same, and report other dimensions of their outputs.",
    _SAVING,
    "execution/output.dimensions",
)
def misreport_retrieved() -> Device:
    """Report dimensions of 1 and 1."""
    return _with_cache(_Misreports)


@example_bug(
    "level-ignored",
    "A driver of HAL 1.1 takes the newest models and requests.",
    "TestCompliance/HardwareBufferModel",
    "model/*",
)
def ignore_level() -> Device:
    """Take models that a driver of this level cannot know."""

    class Careless(FullDevice):
        feature_level = FeatureLevel.FL2

        def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
            """Validate as a driver of the newest level."""
            validate_model(model, FeatureLevel.FL8)
            return tuple(self.supports(model, operation) for operation in model.main.operations)

    return Careless()


@example_bug(
    "extension-any-operands",
    "Operations of a known extension are supported whatever their operands are.",
    "FibonacciExtensionTest/[!G]*_broadcast",
    "extension/operations",
)
def take_any_operands() -> Device:
    """Support all operations of extensions."""

    class Boastful(FullDevice):
        def supports(self, model: Model, operation: Operation) -> bool:
            """Return True for every operation of an extension."""
            return is_extension(operation.type) or super().supports(model, operation)

    return Boastful()
