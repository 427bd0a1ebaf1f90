"""Drivers that misbehave in named ways; reached as ``python:…/misbehaving.py:NAME``."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.types import (
    Capabilities,
    DeviceType,
    ErrorStatus,
    ExecutionResult,
    Model,
    Operation,
    OutputShape,
    PrepareModelConfig,
    Timing,
)

SLEEPER = "import signal; print('up', flush=True); signal.pause()"


class AddModel(BasePreparedModel):
    """Adds its two inputs."""

    def compute(self, inputs: Sequence[Array]) -> Sequence[Array]:
        """The sum."""
        return [inputs[0] + inputs[1]]


class WellBehaved(BaseDevice):
    """Adds, and serves as a base for the others: they misbehave in one method."""

    name = "well-behaved"

    def supports(self, model: Model, operation: Operation) -> bool:
        """Everything that the tests send."""
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """The sum."""
        return AddModel(model)


class Counts(WellBehaved):
    """Prints the number of each call before it answers."""

    def __init__(self) -> None:
        """Begin with no calls."""
        self._calls = itertools.count(1)

    def get_version_string(self) -> str:
        """Print and return the number of the call."""
        number = str(next(self._calls))
        sys.stderr.write(f"call {number}.\n")
        sys.stderr.flush()
        return number


class Exits(WellBehaved):
    """Ends its process in a call and in a preparation."""

    def get_type(self) -> DeviceType:
        """Never returns."""
        sys.stderr.write("about to exit\n")
        sys.stderr.flush()
        os._exit(7)

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Dies after the launch has been answered, before the notification."""
        os._exit(9)


class PrintsAddresses(WellBehaved):
    """Prints what differs in every run, and what does not."""

    def get_type(self) -> DeviceType:
        """Never returns."""
        sys.stderr.write(f"{object()!r} failed in operation 0x6e760001\n")
        sys.stderr.flush()
        os._exit(7)


def hoard() -> NoReturn:
    """Take 640 MiB of memory, and keep it: tests set a limit far below."""
    kept = [bytearray(b"x") * (16 << 20) for _ in range(40)]
    threading.Event().wait(len(kept))
    raise MemoryError("nobody has stopped me")


class Bloats(WellBehaved):
    """Takes more and more memory in a call."""

    def get_type(self) -> DeviceType:
        """Does not return as long as there is memory."""
        hoard()


class BloatsElsewhere(WellBehaved):
    """Has another process take memory."""

    def get_type(self) -> DeviceType:
        """Waits for the child."""
        child = os.fork()
        if child == 0:
            hoard()
        os.waitpid(child, 0)
        return DeviceType.CPU


def orphan(task: Callable[[], object]) -> int:
    """Run a task in a process in a session of its own whose parent has ended; its id."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        grandchild = os.fork()
        if grandchild == 0:
            task()
            os._exit(0)
        os.write(writing, str(grandchild).encode())
        os._exit(0)
    os.waitpid(child, 0)
    number = int(os.read(reading, 16))
    os.close(reading)
    os.close(writing)
    return number


class BloatsFarAway(WellBehaved):
    """Has a process that it has disowned take memory."""

    def get_type(self) -> Any:
        """Never returns."""
        orphan(hoard)
        threading.Event().wait()


class LeavesOrphans(WellBehaved):
    """Leaves a process behind that is not its child any more."""

    def get_version_string(self) -> str:
        """Its id."""
        return str(orphan(signal.pause))


class BloatsUnmapped(WellBehaved):
    """Takes 640 MiB of shared memory without mapping it."""

    def get_type(self) -> Any:
        """Never returns."""
        memory = os.memfd_create("hoard")
        for _ in range(40):
            os.write(memory, bytes(16 << 20))
        threading.Event().wait()


class Segfaults(WellBehaved):
    """Dies of a signal."""

    def get_type(self) -> Any:
        """Never returns."""
        signal.raise_signal(signal.SIGSEGV)


class Stops(WellBehaved):
    """Stops its own process."""

    def get_type(self) -> DeviceType:
        """Does not return before someone sends SIGCONT."""
        signal.raise_signal(signal.SIGSTOP)
        return DeviceType.CPU


class KeepsTheInterpreter(WellBehaved):
    """Hangs in native code that lets no other thread run Python."""

    def get_type(self) -> Any:
        """Add for ever."""
        return sum(itertools.repeat(0))


class Busy(WellBehaved):
    """Has threads that call and return without end, which is when stacks cannot be read from outside."""

    def __init__(self) -> None:
        """Start them."""
        for _ in range(6):
            threading.Thread(target=self.spin, daemon=True).start()

    def spin(self) -> None:
        """Go down and up, and make functions that are forgotten at once."""
        while True:
            exec("def function(value): return [value] * 3\nfunction(2)", {})  # noqa: S102 - what is forgotten matters
            self.descend(30)

    def descend(self, depth: int) -> int:
        """Use some stack."""
        return depth if not depth else self.descend(depth - 1)


class NeverAnswers(WellBehaved):
    """Hangs in a call while the process lives on."""

    def __init__(self) -> None:
        """Not hanging yet."""
        self.hanging = threading.Event()

    def get_type(self) -> Any:
        """Waits for an event that is never set."""
        self.hanging.set()
        threading.Event().wait()

    def get_version_string(self) -> str:
        """Comes once the other call hangs."""
        self.hanging.wait()
        return self.version


class NeverNotifies(WellBehaved):
    """Answers the launch of a preparation or an execution, and forgets to notify."""

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: Any) -> None:
        """Forgets the callback."""

    def prepare_model_from_cache(self, *arguments: Any) -> None:
        """Forgets the callback, too."""


class ForgetsExecutions(WellBehaved):
    """Prepares well, but never notifies an execution."""

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """A model that forgets."""

        class Forgets(AddModel):
            def execute(self, *arguments: Any) -> None:
                """Keep the callback, and quiet."""
                self.kept = arguments

        return Forgets(model)


class NotifiesTwice(WellBehaved):
    """Notifies each preparation twice, the second time with an error."""

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: Any) -> None:
        """Both notifications come before the answer of the launch."""
        callback.notify(ErrorStatus.NONE, AddModel(model))
        callback.notify(ErrorStatus.GENERAL_FAILURE, None)


class NotifiesNonsense(WellBehaved):
    """Notifies values of wrong types."""

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: Any) -> None:
        """A status that does not exist, and a model that is a text."""
        callback.notify(4711, "a model")

    def prepare_model_from_cache(self, *arguments: Any) -> None:
        """Something that cannot be sent at all."""
        arguments[-1].notify(ErrorStatus.NONE, 1 << 80)


class NotifiesSuccessWithoutModel(WellBehaved):
    """Notifies NONE and no model."""

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: Any) -> None:
        """Neither success nor failure."""
        callback.notify(ErrorStatus.NONE, None)


class AnswersLate(WellBehaved):
    """Answers a call only after a file has appeared; the path is in LATE_FIFO, a named pipe."""

    def get_type(self) -> DeviceType:
        """Blocks until someone opens the pipe for writing."""
        with Path(os.environ["LATE_FIFO"]).open("rb"):
            return DeviceType.GPU


class UnprintableError(Exception):
    """An exception whose text cannot be had."""

    def __str__(self) -> NoReturn:
        """Fail."""
        raise RuntimeError("no text")


class Raises(WellBehaved):
    """Raises what no driver may raise."""

    def get_type(self) -> DeviceType:
        """An ordinary bug."""
        missing: dict[str, DeviceType] = {}
        return missing["type"]

    def get_version_string(self) -> str:
        """Tries to end the process with an exception."""
        sys.exit("good bye")

    def get_capabilities(self) -> Capabilities:
        """An exception that fails when it is printed."""
        raise UnprintableError

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """A bug on the thread of the preparation."""
        raise KeyError(model.main.operations[0].type)


class AnswersWrongTypes(WellBehaved):
    """Returns values of wrong types."""

    def get_type(self) -> Any:
        """No such type."""
        return 77

    def get_version_string(self) -> Any:
        """A number."""
        return 12

    def get_capabilities(self) -> Any:
        """Cannot be sent."""
        return object()

    def get_supported_operations(self, model: Model) -> Any:
        """Not booleans."""
        return ("yes",) * len(model.main.operations)


class LeavesChildren(WellBehaved):
    """Starts a process that outlives the driver, and tells its id as the version."""

    def get_version_string(self) -> str:
        """Id of a process that would sleep for a long time."""
        child = subprocess.Popen([sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE)
        if child.stdout is not None:
            child.stdout.readline()
        return str(child.pid)


class TellsPid(WellBehaved):
    """Tells its process and its number of open descriptors and threads."""

    def get_version_string(self) -> str:
        """Process id, then descriptors."""
        return f"{os.getpid()} {len(list(Path('/proc/self/fd').iterdir()))}"


class Meets(WellBehaved):
    """Its executions wait for each other: four have to be in progress at once."""

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """A model whose executions meet at a barrier."""
        barrier = threading.Barrier(4)

        class Meeting(AddModel):
            def run(self, *_: Any) -> ExecutionResult:
                """Return only when four are here."""
                barrier.wait(30)
                return ExecutionResult(True, (OutputShape((2,)),), Timing())

        return Meeting(model)


def fails() -> NoReturn:
    """A factory with a bug."""
    raise ZeroDivisionError("no driver today")


def not_a_device() -> Any:
    """A factory of something else."""
    return "a driver"


class LeavesHiddenOrphans(WellBehaved):
    """Leaves a program behind that is not its child any more, and has no environment."""

    def get_version_string(self) -> str:
        """Its id."""
        return str(orphan(lambda: os.execve("/bin/sleep", ["sleep", "1000"], {})))  # noqa: S606 - that is the misdeed
