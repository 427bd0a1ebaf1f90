"""Drivers that do something to the worker that has opened them, made from the bundled one; ``python:FILE:NAME``.

``NNVET_TEST_FOLDER`` is where they leave marks, so that a later process of the same run knows what has happened.
"""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from nnvet.hal.errors import failure
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Model, PrepareModelConfig, Request
from nnvet.reference_driver.device import ReferenceDevice, create
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo import registry as zoo

_SOLO = "nnvet.conformance.cluster.solo_process"
VICTIM = 2
"""Executions of a model whose first input has this many elements do something; all others are right."""
_PATIENCE_S = 60.0


def _folder() -> Path:
    return Path(os.environ["NNVET_TEST_FOLDER"])


def _device(before: Callable[[], None]) -> ReferenceDevice:
    class Prepared(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            if self.model.main.operands[self.model.main.input_indexes[0]].dimensions == (VICTIM,):
                before()
            return super().run(request, config, deadline_ns)

    class Device(ReferenceDevice):
        def compile(self, model: Model, config: PrepareModelConfig) -> Any:
            made = super().compile(model, config)
            return Prepared(model, made._compiled)

    return Device(create("")._variant)


def _kill_worker() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(_PATIENCE_S)


def _once(name: str) -> bool:
    """Return True for the first caller in this run."""
    try:
        (_folder() / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def deadly() -> ReferenceDevice:
    """Every such execution kills the worker."""
    return _device(_kill_worker)


def deadly_once() -> ReferenceDevice:
    """The first such execution of the run kills the worker."""
    return _device(lambda: _kill_worker() if _once("killed") else None)


def _wait_for_two() -> None:
    (_folder() / f"process-{os.getpid()}").touch()
    end = time.monotonic() + _PATIENCE_S
    while len(list(_folder().glob("process-*"))) < 2 and time.monotonic() < end:
        time.sleep(0.05)


def waiting_for_two() -> ReferenceDevice:
    """Such an execution waits until two processes have had one."""
    return _device(_wait_for_two)


def wrong_on_one() -> ReferenceDevice:
    """As ``waiting_for_two``, but an execution fails on workers that have the file ``wrong`` in their folder."""

    def before() -> None:
        _wait_for_two()
        if Path("wrong").exists():
            raise failure("this machine's accelerator is broken")

    return _device(before)


class _Named(ReferenceDevice):
    """Returns the contents of a file as its version."""

    def get_version_string(self) -> str:
        """As the file ``version`` of the worker's folder has it."""
        own = Path("version")
        return own.read_text() if own.exists() else super().get_version_string()


def versioned() -> ReferenceDevice:
    """A driver whose version depends on the worker's folder."""
    return _Named(create("")._variant)


def drifting() -> ReferenceDevice:
    """The bug graph-drift of the zoo, under a name that only workers know."""
    return zoo.create("graph-drift")  # type: ignore[return-value]


def bricking() -> ReferenceDevice:
    """Such an execution kills the service, and on this machine none starts any more."""
    if Path("bricked").exists():
        os._exit(9)

    def before() -> None:
        Path("bricked").touch()
        os._exit(9)

    return _device(before)


def slow_to_start() -> ReferenceDevice:
    """Takes a minute to start on workers that have the file ``slow`` in their folder."""
    if Path("slow").exists():
        (_folder() / "slow-begun").touch()
        time.sleep(_PATIENCE_S)
    return create("")


def deadly_to_machines() -> ReferenceDevice:
    """Two workers of a cluster die of an execution, each with all that it has started; then all is well."""

    def before() -> None:
        parents = psutil.Process().parents()
        processes = [number for number, parent in enumerate(parents) if _SOLO in parent.cmdline()]
        if processes and (_once("first") or _once("second")):
            parents[processes[-1] + 1].kill()
            time.sleep(_PATIENCE_S)

    class Prepared(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            before()
            return super().run(request, config, deadline_ns)

    device = ReferenceDevice(create("")._variant)
    device.prepared_model = Prepared
    return device
