"""Further checks of ``ValidateBurst``, which VTS does not have: memory slots, a corrupt ring, a client that dies.

Requests travel to a burst as packets in a ring buffer that client and driver share, and name memory by slots. A driver
that meets a new slot asks the client for its memory. Wrong packets are in
:mod:`nnvet.conformance.suites.burst.packets`, whose ``open_run`` opens the bursts used here.

Source: docs/contract/hal.md 12.3 and 12.4.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import begin, result_of
from nnvet.conformance.kit.other_clients import prepare_for
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.burst.packets import LEVEL, SUITE, open_run
from nnvet.conformance.suites.burst.raw import (
    SLOTS,
    BurstRun,
    RawBurst,
    Supplied,
    check_error,
    decode_answer,
    memories_of,
)
from nnvet.graphs.hal_model import create_pool
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.memory import close, create_ashmem, mapped, memory_size
from nnvet.hal.types import Ashmem, Memory
from nnvet.transport.burst.packets import DATUM_BYTES
from nnvet.transport.wire.proxies import QUEUE_DATUMS

_FREES: Final = 50
"""Executions during which another thread frees the slots."""
_MOMENT_S: Final = 0.1
"""Seconds to wait for an answer that a driver may leave out."""

_OTHER_SLOTS: Final = (9, 2)
"""Slots in descending order, so that the order in which the driver asks for them shows."""


@check(SUITE, "Slots", rules=("burst/slot",), level=LEVEL)
def slots_are_asked_for(subject: Subject, _: None) -> None:
    """The service asks once for the memories of all unknown slots together, in ascending order."""
    with open_run(subject) as run, run.open(supply=memories_of(_OTHER_SLOTS, _list_pools(run))) as burst:
        for _round in range(2):
            run.check_valid(burst, slots=_OTHER_SLOTS)
        burst.context.free_memory(9)
        run.check_valid(burst, "after a slot is freed", slots=_OTHER_SLOTS)
        if burst.asked != [(2, 9), (9,)]:
            raise fail("burst/slot", f"slots 2 and 9 are used, 9 is freed and used again: asked for {burst.asked}")


def _list_pools(run: BurstRun) -> tuple[Memory, Memory]:
    """Return the pools with the inputs and with the outputs, in the order of the slots."""
    return run.packed.input_pool, run.packed.output_pool


def _shorten(memory: Memory) -> Memory:
    """Return memory whose descriptor has 1 byte, and whose description the size of other memory."""
    return Ashmem(create_ashmem(1).handle, memory_size(memory))


_ANSWERS: Final[dict[str, Callable[[tuple[Memory, ...]], Supplied]]] = {
    "invalid_argument": lambda _: (ErrorStatus.INVALID_ARGUMENT, ()),
    "general_failure": lambda _: (ErrorStatus.GENERAL_FAILURE, ()),
    "error_with_memories": lambda pools: (ErrorStatus.GENERAL_FAILURE, pools),
    "none": lambda _: (ErrorStatus.NONE, ()),
    "too_few": lambda pools: (ErrorStatus.NONE, pools[:1]),
    "too_many": lambda pools: (ErrorStatus.NONE, (*pools, pools[0])),
}
"""Answers of a client that lacks a memory, or gives a wrong number of memories."""


@check(SUITE, "NoMemory", rules=("burst/slot", "burst/recovery"), level=LEVEL, parameters=lambda: _ANSWERS)
def no_memory(subject: Subject, answer: Callable[[tuple[Memory, ...]], Supplied]) -> None:
    """An execution whose memories the client refuses is an error; once the client has them, it succeeds."""
    with open_run(subject) as run, run.open(supply=lambda _: answer(_list_pools(run))) as burst:
        what = "a packet whose memories the client does not supply"
        check_error(burst.execute(run.packet(), what), what, "burst/slot")
        burst.supply = memories_of(SLOTS, _list_pools(run))
        run.check_valid(burst, f"after {what}")


@check(SUITE, "ShortMemory", rules=("burst/slot", "burst/recovery", "burst/result"), level=LEVEL)
def short_memory(subject: Subject, _: None) -> None:
    """Memory that is shorter than its description makes the execution fail; its slot can then be used again."""
    with open_run(subject) as run:
        short = _shorten(run.packed.input_pool)
        try:
            with run.open(supply=memories_of(SLOTS, (short, run.packed.output_pool))) as burst:
                what = "a packet with memory that is shorter than it says"
                check_error(burst.execute(run.packet(), what), what, "burst/slot")
                burst.context.free_memory(SLOTS[0])
                burst.supply = memories_of(SLOTS, _list_pools(run))
                run.check_valid(burst, f"after {what}")
        finally:
            close(short)


@check(SUITE, "FreedMemory", rules=("burst/freed",), level=LEVEL)
def freed_memory(subject: Subject, _: None) -> None:
    """A freed slot can name other memory afterwards; freeing an unknown slot does no harm."""
    with open_run(subject) as run, run.open() as burst, _open_zeros(memory_size(run.packed.output_pool)) as other:
        run.check_valid(burst)
        for slot in (SLOTS[1], SLOTS[1], 77, -1):
            burst.context.free_memory(slot)
        burst.supply = memories_of(SLOTS, (run.packed.input_pool, other))
        what = "a packet whose slot has got other memory"
        with mapped(run.packed.output_pool) as old, mapped(other) as new:
            expected = bytes(old)
            old[:] = bytes(len(old))
            result = burst.execute(run.packet(), what)
            if result.status is not ErrorStatus.NONE or bytes(new) != expected:
                raise fail("burst/freed", f"{what}: {result.status.name}, and the other memory has not the result")
            if any(old):
                raise fail("burst/freed", f"{what}: the freed memory is written")


@contextmanager
def _open_zeros(size: int) -> Iterator[Memory]:
    """Open a pool of zeros with a size in bytes for as long as the block runs."""
    memory = create_pool(size, ())
    try:
        yield memory
    finally:
        close(memory)


@check(SUITE, "FreeWhileAsked", rules=("burst/freed", "burst/recovery"), level=LEVEL)
def free_while_asked(subject: Subject, _: None) -> None:
    """If a slot is freed before its memory has come, results are right or an error, and the burst goes on."""
    with open_run(subject) as run, run.open() as burst:
        supply = burst.supply

        def free_first(slots: tuple[int, ...]) -> Supplied | None:
            for slot in slots:
                burst.context.free_memory(slot)
            return supply(slots)

        burst.supply = free_first
        _check_right_or_refused(run, burst)
        burst.supply = supply
        run.check_valid(burst, "after its slots were freed too early")


@check(SUITE, "FreeWhileExecuting", rules=("burst/freed", "burst/recovery"), level=LEVEL)
def free_while_executing(subject: Subject, _: None) -> None:
    """If slots are freed again and again during executions, results are right or errors, and nothing else."""
    with open_run(subject) as run, run.open() as burst:
        is_over = threading.Event()

        def free() -> None:
            while not is_over.is_set():
                for slot in SLOTS:
                    burst.context.free_memory(slot)

        freeing = begin(free)
        try:
            for _round in range(_FREES):
                _check_right_or_refused(run, burst)
        finally:
            is_over.set()
        result_of(freeing, subject.timeout_s, "BurstContext.free_memory")
        run.check_valid(burst, "after its slots were freed all the time")


def _check_right_or_refused(run: BurstRun, burst: RawBurst) -> None:
    """Check that the valid packet is executed with the right result, or answered with an error.

    :raises CaseFailed: it is executed with a wrong result.
    """
    what = "a packet whose slots are freed meanwhile"
    run.wipe()
    result = burst.execute(run.packet(), what)
    if result.status is ErrorStatus.NONE:
        run.check_values()
    else:
        check_error(result, what)


_BEYOND: Final = (QUEUE_DATUMS + 1, 2**32, 2**62, 2**63, -1)
"""Distances by which a position is moved: beyond the ring, at the limits of 32 and 64 bits, and one back."""


@check(
    SUITE,
    "CorruptPosition",
    rules=("burst/queue",),
    level=LEVEL,
    parameters=lambda: {"requests_written": False, "results_read": True},
)
def corrupt_position(subject: Subject, reading: bool) -> None:  # noqa: FBT001 - the form of checks with parameters
    """An impossible position ends the burst, or is answered with an error; other bursts of the service go on."""
    with open_run(subject) as run, ExitStack() as stack:
        bursts = [stack.enter_context(run.open()) for _ in _BEYOND]
        for burst, distance in zip(bursts, _BEYOND, strict=True):
            length = len(run.check_valid(burst) if reading else run.packet()) // DATUM_BYTES
            if not reading:
                run.check_valid(burst)
            burst.corrupt(reading=reading, position=(length + distance) % 2**64)
            if reading:
                burst.send(run.packet(), "a packet")
        end = time.monotonic() + _MOMENT_S
        for burst, distance in zip(bursts, _BEYOND, strict=True):
            what = f"a position that is wrong by {distance}"
            answer = burst.poll(max(0.0, end - time.monotonic()), what)
            # A driver need not use the reading position; then the result may fit.
            if answer and not reading:
                check_error(decode_answer(answer, what), what, "burst/queue")
        with run.open() as another:
            run.check_valid(another, "of another burst, after one whose position is corrupt")


@check(
    SUITE,
    "DeadClient",
    rules=("client/interference", "burst/recovery"),
    level=LEVEL,
    parameters=lambda: {"packet_sent": False, "memories_asked_for": True},
)
def dead_client(subject: Subject, is_asked: bool) -> None:  # noqa: FBT001 - the form of checks with parameters
    """A client that disappears in the middle of an execution harms no other client."""
    asked = threading.Event()

    def keep_silent(_: tuple[int, ...]) -> None:
        asked.set()

    with open_run(subject) as run:
        with (
            subject.another_client() as device,
            run.with_prepared(prepare_for(subject, device, run.test)).open() as burst,
        ):
            if is_asked:
                burst.supply = keep_silent
            burst.send(run.packet(), "a packet")
            if is_asked and not asked.wait(subject.timeout_s):
                burst.receive("a packet whose memories are not asked for")
        with run.open() as burst:
            run.check_valid(burst, "after the end of another client")
