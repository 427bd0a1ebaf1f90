"""A service that crashes: seen while it stands still at the fatal signal, and otherwise known from its core.

Ends of processes, in words.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress

from nnvet.adapters.service import traps
from nnvet.adapters.service.native_stacks import stacks_of_process
from nnvet.adapters.service.output import DriverOutput
from nnvet.diagnostics.exceptions import place_of_crash
from nnvet.diagnostics.native_faults import NativeFault, find_fault


def end_of(code: int) -> tuple[str, str | None]:
    """Words for the exit code of a process (minus the signal if one killed it), and the signal's name."""
    if code >= 0:
        return f"exited with status {code}", None
    try:
        name = signal.Signals(-code).name
    except ValueError:
        # Those for real time, other than the first and the last, have no names.
        name = f"signal {-code}"
    return f"killed by {name}", name


class CrashWatch:
    """Looks at a process each time that it stops, by the one thread that watches it."""

    def __init__(self, output: DriverOutput) -> None:
        """Nothing was seen yet; what the process has printed may tell of the fault already."""
        self._output = output
        self._quiet = threading.Event()
        self._quiet.set()
        self.stacks = ""

    def look(self, process: int, pidfd: int) -> None:
        """If the process stands still at a fatal signal, keep its stacks and let it die of the signal."""
        with suppress(OSError):
            if os.waitid(os.P_PIDFD, pidfd, os.WSTOPPED | os.WNOHANG) is None:
                return
            self._quiet.clear()
            try:
                fatal = traps.caught(process)
                if fatal is not None:
                    try:
                        # Python passes a signal on to the trap that was there before: the first look counts.
                        self.stacks = self.stacks or self._stacks(process, fatal)
                    finally:
                        traps.let_die(process, fatal)
            finally:
                self._quiet.set()

    def _stacks(self, process: int, fatal: traps.FatalSignal) -> str:
        fault = find_fault(self._output.text())
        if fault is not None and fault.tool:
            # The report has the stacks of the fault; here are those of the sanitizer that ends the process.
            return ""
        return f"{fatal}\n{stacks_of_process(process, fatal.thread, fatal.at).text}"

    def wait(self, seconds: float) -> None:
        """Wait until nobody looks at the process any more."""
        self._quiet.wait(seconds)


def fault_in(output: str, stacks: str) -> NativeFault | None:
    """The fault of native code that a process has died of, as far as its output or its stacks tell of one."""
    fault = find_fault(f"{output}\n{stacks}")
    return fault if fault is not None and (fault.tool or fault.signal) else None


def place_of(fault: NativeFault | None, output: str) -> str:
    """Return the place in native code; if only Python ran, or nothing is known of that, that in a driver's code."""
    return (fault.place if fault is not None else "") or place_of_crash(output)
