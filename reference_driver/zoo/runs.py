"""Wrong drivers for tests of the runner: the verdict on a death, a hang or a wrong answer, and on the cases after it.

Most drivers go wrong in executions of a model whose first input has :data:`VICTIM` elements, and are right in all
others, so that a run has cases before, with and after the fault. Nearly every case of the suite would meet these
faults. So the registry does not list the cases that a driver breaks, but the verdicts of four cases that run one after
the other, with 1, 2, 3 and 4 elements.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Final, NoReturn, TypeAlias

from nnvet.hal.errors import failure
from nnvet.hal.interfaces import Device, PreparedModelCallback
from nnvet.hal.memory import mapped
from nnvet.hal.types import (
    BufferToken,
    ExecutionConfig,
    ExecutionResult,
    Model,
    PrepareModelConfig,
    Request,
    Timing,
)
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import run_bug

VICTIM: Final = 2
"""Elements of the first input of a model whose executions go wrong."""
_HOARD_BYTES: Final = 1536 << 20
"""Memory that a hoarding driver takes in all."""
_BLOCK_BYTES: Final = 16 << 20
"""Memory that it takes at a time."""

Execute: TypeAlias = Callable[[], ExecutionResult]
"""Function that executes a request as the bundled driver does."""
Fault: TypeAlias = Callable[[Request, Execute], ExecutionResult]
"""Function that takes the place of an execution; it gets the request and the right execution."""


def _size(prepared: ReferencePreparedModel) -> int:
    """Return the number of elements of the first input, if it is a vector; otherwise 0."""
    main = prepared.model.main
    dimensions = main.operands[main.input_indexes[0]].dimensions
    return dimensions[0] if len(dimensions) == 1 else 0


def _with_runs(fault: Callable[[int, Request, Execute], ExecutionResult]) -> Device:
    """Return a driver whose executions are run by ``fault(size, request, right)``."""

    class Faulty(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Run as the bundled driver, or not."""
            return fault(_size(self), request, lambda: super(Faulty, self).run(request, config, deadline_ns))

    return with_prepared_model(Faulty)


def with_victims(fault: Fault) -> Device:
    """Return a driver whose executions of victims are run by ``fault(request, right)``."""
    return _with_runs(lambda size, request, right: fault(request, right) if size == VICTIM else right())


def wipe(request: Request) -> None:
    """Fill all outputs of a request with zeros."""
    for place in (output.location for output in request.outputs):
        pool = request.pools[place.pool_index]
        if not isinstance(pool, BufferToken) and place.length:
            with mapped(pool) as view:
                view[place.offset : place.offset + place.length] = bytes(place.length)


def _zeros(request: Request, right: Execute) -> ExecutionResult:
    result = right()
    wipe(request)
    return result


def _signalled(number: signal.Signals) -> Device:
    def fault(_request: Request, _right: Execute) -> ExecutionResult:
        end_by(number)

    return with_victims(fault)


def end_by(number: signal.Signals) -> NoReturn:
    """Send a signal to this process, and do not return."""
    os.kill(os.getpid(), number)
    # The signal may reach another thread first; this one must not answer meanwhile.
    threading.Event().wait()
    raise AssertionError


@run_bug("run-crash", "Executions of two elements end the process by SIGSEGV.", "PASS CRASH PASS PASS")
def crash() -> Device:
    """Die by a signal."""
    return _signalled(signal.SIGSEGV)


@run_bug("run-stop", "Executions of two elements stop the process.", "PASS HANG PASS PASS")
def stop() -> Device:
    """Stop, and never answer."""
    return _signalled(signal.SIGSTOP)


@run_bug("run-exit", "Executions of two elements end the process with a status.", "PASS CRASH PASS PASS")
def leave() -> Device:
    """Exit."""
    return with_victims(lambda *_: os._exit(3))


@run_bug("run-hoard", "Executions of two elements take 1.5 GiB of memory and wait.", "PASS CRASH PASS PASS")
def hoard() -> Device:
    """Take more and more memory; tests set a limit far below."""

    def fault(_request: Request, right: Execute) -> ExecutionResult:
        kept = [bytearray(b"x") * _BLOCK_BYTES for _ in range(_HOARD_BYTES // _BLOCK_BYTES)]
        threading.Event().wait(len(kept))
        return right()

    return with_victims(fault)


@run_bug("run-exception", "Executions of two elements raise what is no HalError.", "PASS FAIL PASS PASS")
def divide_by_zero() -> Device:
    """Raise an exception of Python."""

    def fault(_request: Request, _right: Execute) -> ExecutionResult:
        raise ZeroDivisionError("a bug of the driver")

    return with_victims(fault)


@run_bug("run-timing", "Executions of two elements report a timing that nobody asked for.", "PASS FAIL PASS PASS")
def tell_times() -> Device:
    """Report a timing that the client has not asked for."""
    return with_victims(lambda _, right: ExecutionResult(True, right().output_shapes, Timing(1, 2)))


@run_bug(
    "run-no-shapes",
    "Executions of two elements report no output shapes, even where they were unknown.",
    "PASS PASS PASS PASS",
)
def tell_no_shapes() -> Device:
    """Execute, and report nothing: only cases of unknown dimensions miss it."""

    def fault(_request: Request, right: Execute) -> ExecutionResult:
        right()
        return ExecutionResult()

    return with_victims(fault)


@run_bug("run-zeros", "All outputs are zero.", "FAIL FAIL FAIL FAIL")
def give_zeros() -> Device:
    """Compute, and wipe the outputs."""
    return _with_runs(lambda _, request, right: _zeros(request, right))


@run_bug(
    "run-zeros-once",
    "The first execution of two elements gives zeros, all later ones are right.",
    "PASS FAIL PASS PASS",
)
def give_zeros_once() -> Device:
    """Be wrong once for each process."""
    return _with_first_wrong(lambda: None)


@run_bug(
    "run-zeros-then-exit",
    "The first execution of two elements gives zeros, the second ends the process.",
    "PASS FAIL PASS PASS",
)
def give_zeros_then_leave() -> Device:
    """Be wrong once, and die when it is tried again."""
    return _with_first_wrong(lambda: os._exit(7))


def _with_first_wrong(later: Callable[[], None]) -> Device:
    seen: list[bool] = []

    def fault(request: Request, right: Execute) -> ExecutionResult:
        is_first = not seen
        seen.append(True)
        if is_first:
            return _zeros(request, right)
        result = right()
        later()
        return result

    return with_victims(fault)


@run_bug(
    "run-dies-later",
    "The execution after one of two elements ends the process, whichever it is.",
    "PASS PASS CRASH PASS",
)
def die_later() -> Device:
    """Take the next case with it: a run has to find out which one is to blame."""
    marked: list[bool] = []

    def fault(size: int, _request: Request, right: Execute) -> ExecutionResult:
        if marked:
            os._exit(5)
        marked.extend([True] * (size == VICTIM))
        return right()

    return _with_runs(fault)


@run_bug(
    "run-spreads",
    "After an execution of two elements, those of three give zeros and those of four end the process.",
    "PASS PASS FAIL CRASH",
)
def spread() -> Device:
    """Be wrong in cases that are right in a fresh process."""
    marked: list[bool] = []

    def fault(size: int, request: Request, right: Execute) -> ExecutionResult:
        result = right()
        if marked and size == VICTIM + 1:
            wipe(request)
        if marked and size == VICTIM + 2:
            os._exit(5)
        marked.extend([True] * (size == VICTIM))
        return result

    return _with_runs(fault)


@run_bug("run-exit-always", "Every execution ends the process.", "CRASH CRASH CRASH CRASH")
def leave_always() -> Device:
    """Exit in each execution."""
    return _with_runs(lambda *_: os._exit(4))


@run_bug("run-claims", "All operations are supported, and no model is prepared.", "FAIL FAIL FAIL FAIL")
def claim() -> Device:
    """Claim what cannot be prepared."""

    class Claims(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Refuse."""
            del model, config
            raise failure("no")

    return Claims()


@run_bug("run-mute", "No preparation is notified.", "HANG HANG HANG HANG")
def forget_callbacks() -> Device:
    """Forget each callback."""

    class Mute(FullDevice):
        def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
            """Return."""

    return Mute()


@run_bug("run-dies-of-version", "The process ends when it is asked for its version.", "PASS PASS PASS PASS")
def die_of_version() -> Device:
    """Die before the first case."""

    class Dies(FullDevice):
        def get_version_string(self) -> str:
            """Die."""
            end_by(signal.SIGSEGV)

    return Dies()


@run_bug("run-no-version", "The version is refused.", "PASS PASS PASS PASS")
def refuse_version() -> Device:
    """Refuse what no driver may refuse; the cases of the suite run all the same."""

    class Secretive(FullDevice):
        def get_version_string(self) -> str:
            """Refuse."""
            raise failure("nobody's business")

    return Secretive()
