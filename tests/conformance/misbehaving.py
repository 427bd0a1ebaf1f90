"""Drivers that are wrong in one named way, made from the bundled one; reached by ``python:FILE:NAME``."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nnvet.hal.errors import failure
from nnvet.hal.interfaces import PreparedModelCallback
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Model, PrepareModelConfig, Request, Timing
from nnvet.reference_driver.device import ReferenceDevice, create
from nnvet.reference_driver.prepared import ReferencePreparedModel

VICTIM = 2
"""Executions of a model whose first input has this many elements misbehave; all others are right."""


class _Prepared(ReferencePreparedModel):
    """Does something else in the executions of victims."""

    fault: Any

    def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Run as the bundled driver, or misbehave."""
        first = self.model.main.operands[self.model.main.input_indexes[0]]
        result = super().run(request, config, deadline_ns)
        return type(self).fault(self, request, result) if first.dimensions == (VICTIM,) else result


def _device(fault: Any) -> ReferenceDevice:
    prepared = type("Prepared", (_Prepared,), {"fault": staticmethod(fault)})

    class Device(ReferenceDevice):
        def compile(self, model: Model, config: PrepareModelConfig) -> Any:
            made = super().compile(model, config)
            return prepared(model, made._compiled)

    return Device(create("")._variant)


def _by_signal(number: signal.Signals) -> ReferenceDevice:
    def fault(*_: object) -> None:
        os.kill(os.getpid(), number)
        # The signal may reach another thread first; this one must not answer meanwhile.
        threading.Event().wait()

    return _device(fault)


def crashing() -> ReferenceDevice:
    """The process dies by SIGSEGV."""
    return _by_signal(signal.SIGSEGV)


def hanging() -> ReferenceDevice:
    """The process stops and never answers."""
    return _by_signal(signal.SIGSTOP)


def hoarding() -> ReferenceDevice:
    """The process takes more and more memory, up to 1.5 GiB."""

    def fault(*_: object) -> None:
        kept = [bytearray(b"x") * (16 << 20) for _ in range(96)]
        threading.Event().wait(len(kept))

    return _device(fault)


def exiting() -> ReferenceDevice:
    """The process ends."""
    return _device(lambda *_: os._exit(3))


def raising() -> ReferenceDevice:
    """An exception that is no HalError."""

    def fault(*_: object) -> ExecutionResult:
        raise ZeroDivisionError("a bug of the driver")

    return _device(fault)


def timing() -> ReferenceDevice:
    """Reports times although the client did not ask for them."""
    return _device(lambda _self, _request, result: ExecutionResult(True, result.output_shapes, Timing(1, 2)))


def silent() -> ReferenceDevice:
    """Output shapes are missing, also where they were unknown."""
    return _device(lambda *_: ExecutionResult())


def wrong() -> ReferenceDevice:
    """All outputs stay zero."""

    class Zero(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            result = super().run(request, config, deadline_ns)
            _wipe(request)
            return result

    return _running(Zero)


def _wipe(request: Request) -> None:
    from nnvet.hal.memory import mapped  # noqa: PLC0415

    with mapped(request.pools[1]) as view:
        view[:] = bytes(len(view))


def refusing() -> ReferenceDevice:
    """Claims all operations and then prepares nothing."""

    class Device(ReferenceDevice):
        def compile(self, model: Model, config: PrepareModelConfig) -> Any:
            raise failure("no")

    return Device(create("")._variant)


def mute() -> ReferenceDevice:
    """Never notifies a preparation."""

    class Device(ReferenceDevice):
        def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
            return

    return Device(create("")._variant)


def unable() -> ReferenceDevice:
    """Supports no operation and says so."""

    class Device(ReferenceDevice):
        def supports(self, model: Model, operation: object) -> bool:
            return False

    return Device(create("")._variant)


def _killed() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)
    threading.Event().wait()


def stillborn() -> ReferenceDevice:
    """The process dies before there is a device."""
    _killed()
    return create("")


def shy() -> ReferenceDevice:
    """The process dies when it is asked for its version."""

    class Device(ReferenceDevice):
        def get_version_string(self) -> str:
            _killed()
            return ""

    return Device(create("")._variant)


def secretive() -> ReferenceDevice:
    """Refuses to say its version."""

    class Device(ReferenceDevice):
        def get_version_string(self) -> str:
            raise failure("nobody's business")

    return Device(create("")._variant)


def mortal() -> ReferenceDevice:
    """Crashes as :func:`crashing`, and starts only as often as there are files in a folder."""
    lives = sorted(Path(os.environ["NNVET_TEST_LIVES"]).iterdir())
    if not lives:
        _killed()
    lives[0].unlink()
    return crashing()


def unsteady() -> ReferenceDevice:
    """Crashes as :func:`crashing`, and dies at its first start and at its third."""
    folder = Path(os.environ["NNVET_TEST_STARTS"])
    number = len(list(folder.iterdir())) + 1
    (folder / str(number)).touch()
    if number in (1, 3):
        _killed()
    return crashing()


def haunted() -> ReferenceDevice:
    """Dies of the execution after that of a victim, whatever that is."""
    cursed: list[bool] = []

    class Prepared(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            if cursed:
                os._exit(5)
            first = self.model.main.operands[self.model.main.input_indexes[0]]
            cursed.extend([True] * (first.dimensions == (VICTIM,)))
            return super().run(request, config, deadline_ns)

    return _running(Prepared)


def moody() -> ReferenceDevice:
    """Dies of its third execution, but only if no driver of this kind has done so before."""

    class Prepared(ReferencePreparedModel):
        left = 2

        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            mark = Path(os.environ["NNVET_TEST_MOOD"])
            Prepared.left -= 1
            if Prepared.left < 0 and not mark.exists():
                mark.touch()
                os._exit(6)
            return super().run(request, config, deadline_ns)

    return _running(Prepared)


def fickle() -> ReferenceDevice:
    """The first execution of a victim gives zeros."""
    return _wrong_once(lambda: None)


def fickle_and_mortal() -> ReferenceDevice:
    """The first execution of a victim gives zeros, the process dies of the second."""
    return _wrong_once(lambda: os._exit(7))


def _wrong_once(later: Callable[[], None]) -> ReferenceDevice:
    seen: list[bool] = []

    def fault(_: object, request: Request, result: ExecutionResult) -> ExecutionResult:
        if seen:
            later()
        else:
            _wipe(request)
        seen.append(True)
        return result

    return _device(fault)


def cursing() -> ReferenceDevice:
    """After an execution of a victim, those with one element more give zeros; of those with two more it dies."""
    cursed: list[bool] = []

    class Prepared(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            result = super().run(request, config, deadline_ns)
            (size,) = self.model.main.operands[self.model.main.input_indexes[0]].dimensions
            if cursed and size == VICTIM + 1:
                _wipe(request)
            if cursed and size == VICTIM + 2:
                os._exit(5)
            cursed.extend([True] * (size == VICTIM))
            return result

    return _running(Prepared)


def doomed() -> ReferenceDevice:
    """Dies of every execution."""

    class Prepared(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            del request, config, deadline_ns
            os._exit(4)

    return _running(Prepared)


def _running(prepared: type[ReferencePreparedModel]) -> ReferenceDevice:
    class Device(ReferenceDevice):
        def compile(self, model: Model, config: PrepareModelConfig) -> Any:
            return prepared(model, super().compile(model, config)._compiled)

    return Device(create("")._variant)
