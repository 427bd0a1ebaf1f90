"""A process that loads and instruments everything once, and then forks processes that fuzz, so that each starts fast.

``python -m nnvet.fuzz.forking CONFIG`` is that process; :class:`Forker` is its parent's end. Each line of its input is
a :class:`ForkOrder`. Its standard error, which the forked process shares, says when a forked process starts and ends.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, Self

import msgspec

from nnvet.fuzz.child import Guide, fuzz
from nnvet.fuzz.findings import ChildConfig
from nnvet.fuzz.native_edges import enable_preload, environment_of, kill_group

_STARTED: Final = "nnvet: started"
_ENDED: Final = "nnvet: ended with"
"""Beginnings of the lines that announce the process id and the exit code of a forked process."""
_PRELOADED: Final = dict.fromkeys(("reference", "zoo"), "nnvet.reference_driver.kernels")
"""Package to load before forking, by kind of driver: one whose modules are otherwise loaded when models need them."""
_DEAD: Final = -1
"""Exit code that stands for a forking process which died itself."""
_GRACE_S: Final = 5.0
"""Seconds in which a process can end by itself before it is killed."""


class ForkOrder(msgspec.Struct, frozen=True):
    """Order to a forked process: what to fuzz, the arguments of libFuzzer, and a folder for temporary files."""

    config: ChildConfig
    arguments: tuple[str, ...]
    folder: str = ""


class Forker:
    """The forking process, for as long as the block runs; ``code`` is the exit code of the last forked process."""

    def __init__(self, config: ChildConfig) -> None:
        """Use ``config``, which names the code that guides the fuzzer for all harnesses of the job."""
        self._config = config
        self._process: subprocess.Popen[str] | None = None
        self._forked: int | None = None
        self._is_stopped = False
        self._killer: threading.Timer | None = None
        self.code = 0

    def __enter__(self) -> Self:
        """Start nothing: the first order starts the process."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the forking process and its child."""
        if self._killer is not None:
            self._killer.cancel()
            self._killer.join()
        process = self._process
        if process is not None:
            self.end(signal.SIGKILL)
            with process:
                kill_group(process)
            self._process = None

    def run(self, order: ForkOrder) -> Iterator[str]:
        """Fork a process, and yield the lines that it prints until it has ended."""
        process = self._started()
        self.code = _DEAD
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        assert process.stderr is not None  # noqa: S101 - same
        with suppress(BrokenPipeError):
            process.stdin.write(msgspec.json.encode(order).decode() + "\n")
            process.stdin.flush()
        for line in process.stderr:
            if line.startswith(_STARTED):
                self._forked = int(line.split()[-1])
                if self._is_stopped:
                    self.end()
            elif line.startswith(_ENDED):
                self._forked = None
                self.code = int(line.split()[-1])
                return
            else:
                yield line
        # The forking process itself has died; the next order starts another one.
        with process:
            self._process = self._forked = None

    def stop(self) -> None:
        """End the forked process, even one that is about to be forked; nothing is forked afterwards."""
        self._is_stopped = True
        if self._forked is None:
            # The process may still be loading, and the user who stops a job should not wait for that.
            self._kill()
        self.end()
        # libFuzzer exits within its signal handler, which can wait for ever for a lock that the interrupted code holds.
        self._killer = threading.Timer(_GRACE_S, self._kill)
        self._killer.daemon = True
        self._killer.start()

    def _kill(self) -> None:
        """Kill the forking process and its child, even a child that it has not announced yet."""
        process = self._process
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def end(self, number: int = signal.SIGTERM) -> None:
        """Send the forked process a signal, if there is one."""
        forked = self._forked
        if forked is not None:
            with suppress(ProcessLookupError):
                os.kill(forked, number)

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            command = [sys.executable, "-P", "-m", "nnvet.fuzz.forking", msgspec.json.encode(self._config).decode()]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env=environment_of(in_process=self._config.in_process),
                # Only the job acts on Ctrl-C: it would take the death of this process for a crash of the driver.
                start_new_session=True,
            )
        return self._process


def main(arguments: list[str]) -> None:
    """Fork a process for each order until the input ends."""
    enable_preload()
    config = msgspec.json.decode(arguments[0], type=ChildConfig)
    guide = Guide(config)
    importlib.import_module("nnvet.fuzz.harness")
    preloaded = _PRELOADED.get(config.driver.partition(":")[0])
    if preloaded is not None and config.in_process:
        package = importlib.import_module(preloaded)
        for module in pkgutil.iter_modules(package.__path__, f"{preloaded}."):
            importlib.import_module(module.name)
    decoder = msgspec.json.Decoder(ForkOrder)
    for line in sys.stdin:
        order = decoder.decode(line)
        forked = os.fork()
        if not forked:
            _be_forked(order, guide)
        _say(f"{_STARTED} {forked}")
        _end_without_job(forked)
        _, status = os.waitpid(forked, 0)
        _say(f"\n{_ENDED} {os.waitstatus_to_exitcode(status)}")


def _end_without_job(forked: int) -> None:
    """Wait until a process ends, and kill it if the job ends first."""
    child = os.pidfd_open(forked)
    ends = select.poll()
    ends.register(child, select.POLLIN)
    # No order comes before this one is done, so the only event on the input can be its end.
    ends.register(sys.stdin, 0)
    if any(number != child for number, _ in ends.poll()):
        os.kill(forked, signal.SIGKILL)
    os.close(child)


def _be_forked(order: ForkOrder, guide: Guide) -> None:
    """Fuzz in this forked process, which must not read the orders of its parent."""
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    # libFuzzer ends the process without leaving any block of Python, so the parent removes the temporary folder.
    tempfile.tempdir = order.folder or None
    fuzz(order.config, order.arguments, guide)
    sys.exit(0)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
