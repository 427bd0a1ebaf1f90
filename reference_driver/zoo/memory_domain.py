"""Planted bugs of device memory: allocation, roles, copies, and the content after failures.

Each decorated function makes one wrong driver; :mod:`nnvet.reference_driver.zoo.registry` explains the decorator. Bugs
of device memory that several threads use are in ``memory_types.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from nnvet.hal import types as hal
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Buffer, Device
from nnvet.hal.validation.request import Role
from nnvet.reference_driver.buffers import BufferTracker, Content, DeviceBuffer, Use
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_ALLOCATE = "MemoryDomainAllocateTest/"
"""Suite of allocations of device memory."""
_COPY = "MemoryDomainCopyTest/"
"""Suite of copies to and from device memory."""
_EXECUTION = "MemoryDomainExecutionTest/"
"""Suite of executions with device memory."""
_LAST_TOKEN = 7
"""Largest token; all later buffers get it again."""


def _with_tracker(tracker: BufferTracker) -> Device:
    device = FullDevice()
    device.buffers = tracker
    return device


def _with_buffer(buffer: type[DeviceBuffer]) -> Device:
    tracker = BufferTracker()
    tracker.buffer = buffer
    return _with_tracker(tracker)


def _without_rule(rule: str) -> Device:
    """Make a driver that does not check a rule about the use of device memory."""

    class Lenient(BufferTracker):
        def check_use(self, use: Use, earlier: Sequence[Use]) -> None:
            """Ignore a breach of that rule."""
            try:
                super().check_use(use, earlier)
            except HalError as error:
                if error.rule != rule:
                    raise

    return _with_tracker(Lenient())


@bug(
    "allocate-general-failure",
    "Bad arguments of an allocation are answered with GENERAL_FAILURE.",
    rules=(
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
    ),
    breaks=(f"{_ALLOCATE}[CENS]*", f"{_ALLOCATE}InvalidI*", f"{_ALLOCATE}InvalidModel*", f"{_ALLOCATE}InvalidProb*"),
)
def allocate_general_failure() -> Device:
    """Answer wrong arguments with GENERAL_FAILURE, which is right only for a driver without device memory."""

    class Vague(FullDevice):
        def allocate(self, *arguments: Any, **named: Any) -> tuple[Buffer, int]:
            """Change the status of the error."""
            try:
                return super().allocate(*arguments, **named)
            except HalError as error:
                raise failure(error.message, error.rule) from error

    return Vague()


@bug(
    "allocate-first-role",
    "Roles that contradict the first one are ignored.",
    rules=(
        "allocate/dimensions",
        "allocate/quantization",
        "allocate/role.unique",
        "allocate/type",
    ),
    breaks=(f"{_ALLOCATE}Conflict[EOSZ]*", f"{_ALLOCATE}Conflict*BetweenRoles/*", f"{_ALLOCATE}SameRole*"),
)
def allocate_first_role() -> Device:
    """Allocate for the first role alone if the roles contradict each other."""

    class Careless(FullDevice):
        def allocate(self, desc: Any, models: Any, inputs: Any, outputs: Any) -> tuple[Buffer, int]:
            """Try all roles, then the first one."""
            try:
                return super().allocate(desc, models, inputs, outputs)
            except HalError as error:
                if not error.rule.startswith(("allocate/type", "allocate/quant", "allocate/dim", "allocate/role.")):
                    raise
                return super().allocate(desc, models, inputs[:1], () if inputs else outputs[:1])

    return Careless()


@bug(
    "allocate-any-probability",
    "Probabilities of roles are not looked at.",
    rules=("allocate/probability",),
    breaks=(f"{_ALLOCATE}InvalidProbability/*",),
)
def allocate_any_probability() -> Device:
    """Replace every probability by 1."""

    class Gullible(FullDevice):
        def allocate(
            self, desc: Any, models: Any, inputs: Sequence[hal.BufferRole], outputs: Sequence[hal.BufferRole]
        ) -> tuple[Buffer, int]:
            """Replace the probabilities."""
            certain = ([replace(role, probability=1.0) for role in roles] for roles in (inputs, outputs))
            return super().allocate(desc, models, *certain)

    return Gullible()


@bug(
    "buffer-equal-tokens",
    "Many buffers that live at the same time have the same token.",
    rules=("allocate/answer",),
    breaks=(f"{_ALLOCATE}UniqueTokens/*",),
)
def buffer_equal_tokens() -> Device:
    """Give the same token to several buffers."""

    class Stuck(FullDevice):
        def allocate(self, *arguments: Any, **named: Any) -> tuple[Buffer, int]:
            """Return the last token again."""
            buffer, token = super().allocate(*arguments, **named)
            return buffer, min(token, _LAST_TOKEN)

    return Stuck()


@bug(
    "buffer-any-role",
    "Device memory can be used in roles for which it was not allocated.",
    rules=("buffer/role",),
    breaks=(f"{_EXECUTION}InvalidPreparedModel/*", f"{_EXECUTION}InvalidIO*"),
)
def buffer_any_role() -> Device:
    """Skip the check of roles."""
    return _without_rule("buffer/role")


@bug(
    "buffer-shared-output",
    "Device memory can be an output and something else in one request.",
    rules=("buffer/exclusive",),
    breaks=(f"{_EXECUTION}SameRequestMultipleRoles/*",),
)
def buffer_shared_output() -> Device:
    """Skip the comparison of uses."""
    return _without_rule("buffer/exclusive")


@bug(
    "buffer-exclusive-pools",
    "Device memory that is named by two pools of a request is not recognised.",
    rules=("buffer/exclusive",),
    breaks=(f"{_EXECUTION}SameRequestMultipleRoles/*",),
)
def buffer_exclusive_pools() -> Device:
    """Compare the pools of a request instead of the memory that they name."""

    class ByPool(BufferTracker):
        def check_use(self, use: Use, earlier: Sequence[Use]) -> None:
            """Compare only uses of the same pool."""
            super().check_use(use, [other for other in earlier if other.pool_index == use.pool_index])

    return _with_tracker(ByPool())


@bug(
    "buffer-shape-unchecked",
    "Arguments of another shape than their device memory has are noticed too late.",
    rules=("buffer/dimensions",),
    breaks=(f"{_EXECUTION}InvalidDimensions/*",),
)
def buffer_shape_unchecked() -> Device:
    """Skip the comparison with the shape of the allocation."""
    return _without_rule("buffer/dimensions")


@bug(
    "buffer-never-released",
    "The token of a released buffer stays valid.",
    rules=(
        "buffer/released",
        "client/leak",
    ),
    breaks=(f"{_EXECUTION}ReleasedToken/*", "LeakTest/DeviceMemory"),
)
def buffer_never_released() -> Device:
    """Never release device memory."""

    class Hoarder(BufferTracker):
        def release(self, token: int) -> None:
            """Do nothing."""

    return _with_tracker(Hoarder())


@bug(
    "buffer-survives-execution",
    "Device memory keeps its content when an execution that was to fill it fails.",
    rules=("buffer/failed",),
    breaks=(f"{_EXECUTION}FailedExecution/*", f"{_EXECUTION}OutputTooLarge/*"),
)
def buffer_survives_execution() -> Device:
    """Keep the content of a buffer after a failed execution, as sample drivers do against the documentation."""

    class Keeper(BufferTracker):
        @contextmanager
        def filling(self, request: hal.Request) -> Iterator[None]:
            """Leave the content as it is."""
            del request
            yield

    return _with_tracker(Keeper())


@bug(
    "buffer-survives-copy",
    "Device memory keeps its content when a copy into it fails.",
    rules=("buffer/failed",),
    breaks=(f"{_COPY}CopyFrom_FailureUninitializes/*", f"{_COPY}CopyFrom_InvalidMemory/*"),
)
def buffer_survives_copy() -> Device:
    """Restore the old content after a failure."""

    class Keeper(DeviceBuffer):
        def copy_from(self, source: hal.Memory, dimensions: Sequence[int]) -> None:
            """Copy, and restore the old content if that fails."""
            kept = self.memory.content
            try:
                super().copy_from(source, dimensions)
            except HalError:
                self.memory.content = kept
                raise

    return _with_buffer(Keeper)


@bug(
    "buffer-larger-memory",
    "Device memory is copied to memory that is larger than it is.",
    rules=(
        "buffer/copy.size",
        "buffer/memory",
    ),
    breaks=(f"{_COPY}CopyTo_InvalidMemorySize*", f"{_COPY}CopyTo_InvalidMemory/too_large"),
)
def buffer_larger_memory() -> Device:
    """Accept larger memory, and fill its beginning."""

    class Generous(DeviceBuffer):
        def copy_to(self, destination: hal.Memory) -> None:
            """Fill the beginning."""
            content = self.memory.content
            if content is not None and isinstance(destination, hal.Ashmem) and destination.size > len(content.data):
                destination = replace(destination, size=len(content.data))
            super().copy_to(destination)

    return _with_buffer(Generous)


@bug(
    "buffer-zeroed",
    "Fresh device memory reads as zeros.",
    rules=("buffer/uninitialised",),
    breaks=(f"{_COPY}CopyTo_UninitializedMemory/*", f"{_EXECUTION}UninitializedMemory/*"),
)
def buffer_zeroed() -> Device:
    """Fill new device memory with zeros."""

    class Zeroed(BufferTracker):
        def allocate(self, operand: hal.Operand, roles: Sequence[Role]) -> tuple[DeviceBuffer, int]:
            """Fill memory whose shape is known with zeros."""
            buffer, token = super().allocate(operand, roles)
            size = buffer.memory.size(operand.dimensions)
            buffer.memory.content = Content(operand.dimensions, bytes(size)) if size else None
            return buffer, token

    return _with_tracker(Zeroed())


@bug(
    "buffer-copy-offset",
    "Copies to and from files ignore where in the file the memory begins.",
    rules=(
        "buffer/content",
        "buffer/memory",
    ),
    breaks=(f"{_COPY}Content/mmap_fd", f"{_COPY}*_InvalidMemory/offset_*"),
)
def buffer_copy_offset() -> Device:
    """Ignore the offset of memory in a file."""

    class Shifted(DeviceBuffer):
        def copy_from(self, source: hal.Memory, dimensions: Sequence[int]) -> None:
            """Copy the beginning of the file."""
            super().copy_from(_from_start(source), dimensions)

        def copy_to(self, destination: hal.Memory) -> None:
            """Copy to the beginning of the file."""
            super().copy_to(_from_start(destination))

    return _with_buffer(Shifted)


def _from_start(memory: hal.Memory) -> hal.Memory:
    return replace(memory, offset=0) if isinstance(memory, hal.MappableFile) else memory


@bug(
    "buffer-output-insufficient",
    "An output that does not fit its device memory is reported as too small a buffer.",
    rules=("buffer/output",),
    breaks=(f"{_EXECUTION}InvalidDimensions/*", f"{_EXECUTION}OutputTooLarge/*"),
)
def buffer_output_insufficient() -> Device:
    """Report too small device memory like too small shared memory."""

    class Insufficient(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Report a shape instead of failing."""
            try:
                return super().run(request, config, deadline_ns)
            except HalError as error:
                if error.rule != "buffer/output":
                    raise
                return hal.ExecutionResult(False, (hal.OutputShape((), is_sufficient=False),))

    return with_prepared_model(Insufficient)


@bug(
    "buffer-copy-fails",
    "Copies from memory of a mapped file are done, and then reported as failed.",
    rules=("buffer/copy",),
    breaks=(f"{_COPY}Content/mmap_fd",),
)
def buffer_copy_fails() -> Device:
    """Report a failure after a successful copy."""

    class Pessimistic(DeviceBuffer):
        def copy_from(self, source: hal.Memory, dimensions: Sequence[int]) -> None:
            """Copy, then fail."""
            super().copy_from(source, dimensions)
            if isinstance(source, hal.MappableFile):
                raise failure("the copy may have failed", "buffer/copy")

    return _with_buffer(Pessimistic)
