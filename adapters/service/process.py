"""The parent's side of a service process: start it, watch it, read its output, gather evidence, and end it.

No process is left behind, even if the suite itself is killed. The program is :mod:`nnvet.adapters.service.main`, or a
third party's. Evidence comes from the neighbours: :mod:`~nnvet.adapters.service.crashes` (output, cores),
:mod:`~nnvet.adapters.service.stacks`, :mod:`~nnvet.adapters.service.activity`; :mod:`~nnvet.adapters.service.strays`
finds descendants, and :mod:`~nnvet.adapters.service.sandbox` confines them.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import IO, Final, Protocol, cast

from msgspec.structs import replace

from nnvet.adapters.service import crashes, strays
from nnvet.adapters.service.activity import ProcessActivity, Scale, state_of
from nnvet.adapters.service.belongings import STACKS_SIGNAL, STUCK_SIGNAL
from nnvet.adapters.service.crashes import CrashWatch, DriverOutput, end_of, fault_in, place_of
from nnvet.adapters.service.sandbox import Confinement, code_inside, has_ended, wrapping
from nnvet.adapters.service.stacks import stacks_of_process
from nnvet.adapters.service.strays import (
    MARK_VARIABLE,
    Marked,
    adopt_orphans,
    forget_service,
    reap_strays,
    starting_service,
)
from nnvet.hal.types import OwnedHandle
from nnvet.transport.wire.failures import DeathEvidence

KILLING_S: Final = 30.0
"""Time for a process and its descendants to end after they were killed."""

_DEATH_S: Final = 5.0
_STACKS_S: Final = 3.0
_PAUSE_S: Final = 0.05
_STOPPED: Final = "stopped"
_CHILDREN: Final = 3
"""Largest number of descendants of a service whose stacks are taken."""
_LOOK_EVERY_MS: Final = 100
_WEIGHED_EVERY: Final = 3
"""The memory is measured at every third look at the process."""
_EXAMINED_S: Final = 30.0
"""Enough seconds to take the stacks of a process that is about to die."""
_ONE_THREAD: Final = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Variables that give each service one thread, since several services run at once and the kernels are small."""


class _Descendants(Protocol):
    """A service and all processes that it has started, directly or not."""

    def take(self, pid: int) -> None:
        """Set the process of the service."""

    def members(self) -> Iterable[int]:
        """Return the processes that are running."""

    def taken(self) -> int | None:
        """Return the bytes in use when the kernel killed the processes for exceeding the limit; None if it did not."""

    def end(self) -> None:
        """Kill the remaining processes after the service has ended."""


class ServiceProcess:
    """A running program. A thread reads its ``output`` and notices its end."""

    def __init__(
        self,
        command: Sequence[str],
        inherited: int,
        environment: Mapping[str, str],
        *,
        prints_stacks: bool = False,
        memory_limit: int | None = None,
        confinement: Confinement | None = None,
    ) -> None:
        """Start ``command`` with the descriptor ``inherited``; ``prints_stacks`` if it obeys the stack signals.

        The process is killed if it uses more than ``memory_limit`` bytes; None sets no limit. With a ``confinement`` it
        runs in namespaces of its own.

        :raises OSError, RuntimeError: the program or the watching thread cannot be started; then nothing is running.
        """
        self._prints_stacks = prints_stacks
        self._memory_limit = memory_limit
        self._too_much: int | None = None
        self._suite_fault = ""
        self._around: frozenset[int] = frozenset()
        self._scale = Scale()
        self._marked = Marked()
        self._descendants: _Descendants = strays.make(memory_limit) or self._marked
        adopt_orphans()
        self._dead = threading.Event()
        self._remains = crashes.Remains()
        with ExitStack() as undo:
            undo.callback(self._end_descendants)
            lifeline, self._lifeline = os.pipe()
            undo.callback(os.close, self._lifeline)
            try:
                self._start(command, (inherited, lifeline), environment, confinement, undo)
                _kill_group_at_end(lifeline, self._group)
            finally:
                os.close(lifeline)
            self.output = DriverOutput(cast("IO[bytes]", self._process.stdout).fileno())
            self._crash = CrashWatch(self.output)
            # A function bound to this object would make a reference cycle, and descriptors would stay open until the
            # garbage collector runs.
            self.activity = ProcessActivity(partial(_members, self.pid, self._descendants, self._around))
            # Unlike a process id, a pidfd never comes to mean another process.
            self._pidfd = OwnedHandle(self._opened())
            threading.Thread(target=self._watch, name="nnvet-watch", daemon=True).start()
            undo.pop_all()

    def _start(
        self,
        command: Sequence[str],
        descriptors: tuple[int, ...],
        environment: Mapping[str, str],
        confinement: Confinement | None,
        undo: ExitStack,
    ) -> None:
        """Start the process, which ``undo`` ends; in a sandbox, find the service among its descendants."""
        if confinement is None:
            self._begin(command, descriptors, environment, undo)
        else:
            status, theirs = os.pipe()
            # Bubblewrap also writes here when the service ends, and would die of SIGPIPE if nobody could read.
            self._said = OwnedHandle(status)
            try:
                inside = {**environment, **confinement.environment()}
                self._begin(confinement.command(command, theirs), (*descriptors, theirs), inside, undo)
            finally:
                os.close(theirs)
            self._around, service = wrapping(self._group, status)
            # If the service has ended already, the end of the process around it stands for its own.
            self.pid = service or self._group
        self._remains.expect(self.pid)
        self._take()

    def _begin(
        self, command: Sequence[str], descriptors: tuple[int, ...], environment: Mapping[str, str], undo: ExitStack
    ) -> None:
        with starting_service() as know:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                pass_fds=descriptors,
                process_group=0,
                env={**_ONE_THREAD, **os.environ, **environment, MARK_VARIABLE: self._marked.mark},
            )
            self.pid = self._group = self._process.pid
            know(self._group)
        undo.callback(self._end_unwatched)

    @property
    def alive(self) -> bool:
        """True while the process runs or is stopped."""
        return not self._dead.is_set()

    def wait(self, timeout_s: float | None) -> bool:
        """Wait for the end of the process (None: without limit); return False if it is still running."""
        return self._dead.wait(timeout_s)

    def kill(self) -> None:
        """Kill the process and wait for its end; the watching thread then kills the rest of its group.

        A process that cannot end, for example inside a kernel driver that waits for a device, is left after
        ``KILLING_S``.
        """
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd.fd, signal.SIGKILL)
        self._dead.wait(KILLING_S)

    def _end_descendants(self) -> None:
        self._descendants.end()
        # Processes that the service disowned before it was put into the control group were never in it.
        self._marked.end()

    def _take(self) -> None:
        self._marked.take(self._group)
        try:
            self._descendants.take(self._group)
        except ProcessLookupError:
            # The process has ended already; the watching thread notices that like any other end.
            return
        except OSError:
            # The system lets us make a control group but not move processes into it.
            self._descendants.end()
            self._descendants = self._marked

    def _end_unwatched(self) -> None:
        with self._process:
            os.killpg(self._group, signal.SIGKILL)
        forget_service(self._group)

    def _opened(self) -> int:
        try:
            return os.pidfd_open(self.pid)
        except ProcessLookupError:
            if not self._around:
                raise
            # In a sandbox the service is not our child and may be gone; the process around it knows how it ended.
            self.pid = self._group
            return os.pidfd_open(self.pid)

    def trap_signals(self) -> None:
        """Make a third party's program stop at fatal signals that it does not handle, so that its stacks can be taken.

        Call it after the start, and again after the initialisation, which may have executed another program. Where it
        is impossible, the program may write a core instead.
        """
        if not self._crash.put_trap(self.pid):
            self._remains.ask()

    def evidence(self, dead: bool) -> DeathEvidence:  # noqa: FBT001 - the form of Session's diagnose
        """Return the state of the process, with the stacks of its threads if it hangs.

        Waits a moment for the end of a dying process.
        """
        self._crash.wait(_EXAMINED_S)
        if dead or self._crash.stacks:
            self._dead.wait(_DEATH_S)
        if not self.alive:
            return self._evidence_of_death()
        state = state_of(self._members())
        if self._prints_stacks and not dead and state != _STOPPED:
            # STUCK_SIGNAL can kill a process that runs Python code, so it is sent only if the first signal had no
            # effect.
            _ = self._hear_stacks(STACKS_SIGNAL) or self._hear_stacks(STUCK_SIGNAL)
        stacks = "" if dead else self._native_stacks()
        if not self._prints_stacks and not dead and _catches(self.pid, signal.SIGQUIT):
            # Runtimes of Go and Java print their stacks at SIGQUIT; Go's then exits, so the native stacks were taken
            # first.
            self._hear_stacks(signal.SIGQUIT)
        return DeathEvidence(call="", state=state, pid=self.pid, stderr_tail=self.output.text(), native_stacks=stacks)

    def _members(self) -> list[int]:
        return _members(self.pid, self._descendants, self._around)

    def _native_stacks(self) -> str:
        """Return the native stacks of the process and of its descendants."""
        stacks = {pid: stacks_of_process(pid).text for pid in self._members()[: 1 + _CHILDREN]}
        first = stacks.pop(self.pid)
        return first + "".join(f"of a process that it has started:\n{text}" for text in stacks.values() if text)

    def _hear_stacks(self, number: signal.Signals) -> bool:
        """Ask the process to print its stacks, and wait until they seem complete; return True if it printed anything.

        A process without a handler would die of the signal: its interpreter has not started yet, or has ended.
        """
        if not _catches(self.pid, number):
            return False
        self.output.read()
        self.output.heard.clear()
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd.fd, number)
        end = time.monotonic() + _STACKS_S
        if not self.output.heard.wait(_STACKS_S):
            return False
        while self.output.heard.wait(_PAUSE_S) and time.monotonic() < end:
            self.output.heard.clear()
        return True

    def _evidence_of_death(self) -> DeathEvidence:
        code = code_inside(self._process.returncode) if self._around else self._process.returncode
        state, name = end_of(code)
        output = self.output.text()
        found = self._remains.examined() if name else crashes.NOTHING
        stacks = self._crash.stacks or (f"{name}\n{found.stacks}" if found.stacks else "")
        fault = fault_in(output, stacks)
        evidence = DeathEvidence(
            call="",
            state=state,
            pid=self.pid,
            exit_code=code,
            signal=name,
            place=place_of(fault, output) if name or fault else "",
            fault=fault.name if fault and fault.name != name else "",
            frames=fault.places if fault else [],
            stderr_tail=output,
            native_stacks=stacks,
            core=found.core,
            suite_fault=self._suite_fault,
        )
        if self._too_much is None:
            return evidence
        state = "killed for the memory that it had"
        return replace(evidence, state=state, memory_limit=self._memory_limit, memory=self._too_much)

    def _watch(self) -> None:
        try:
            self._look_on()
        except Exception as error:  # noqa: BLE001 - what nobody watches must not live, and its death is our doing
            self._suite_fault = f"the process could not be watched any more: {type(error).__name__}: {error}"
        finally:
            self._end_process()

    def _look_on(self) -> None:
        """Read the output and check the memory of the process until it ends."""
        output = cast("IO[bytes]", self._process.stdout).fileno()
        poller = select.poll()
        poller.register(output, select.POLLIN)
        poller.register(self._pidfd.fd, select.POLLIN)
        for turn in itertools.count():
            ready = {descriptor for descriptor, _ in poller.poll(_LOOK_EVERY_MS)}
            if turn % _WEIGHED_EVERY == 0:
                reap_strays()
                self._weigh()
            if output in ready and not self.output.read():
                poller.unregister(output)
            if self._pidfd.fd in ready:
                break
            self._crash.look(self.pid, self._pidfd.fd)

    def _end_process(self) -> None:
        """End the process, its group and all that it has started; an error in one step does not stop the others."""
        with ExitStack() as steps:
            steps.callback(self._dead.set)
            steps.callback(forget_service, self._group)
            steps.callback(self._process.__exit__, None, None, None)
            steps.callback(os.close, self._lifeline)
            steps.callback(self._remains.see, self._pidfd.fd)
            steps.callback(self.output.end)
            steps.callback(self._end_descendants)
            if self._around:
                # The exit code of the process around the service is the service's own, so it has to end first.
                has_ended(self._group)
            # The number of a dead process is not reused until we wait for it, so the group is certainly its own.
            for end in (partial(signal.pidfd_send_signal, self._pidfd.fd), partial(os.killpg, self._group)):
                with suppress(ProcessLookupError, PermissionError):
                    end(signal.SIGKILL)
            if self._too_much is None:
                self._too_much = self._descendants.taken()

    def _weigh(self) -> None:
        """Kill the process if it uses too much memory."""
        if self._memory_limit is None or self._too_much is not None:
            return
        memory = self._scale.weigh(self._members())
        if memory > self._memory_limit:
            self._too_much = memory
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd.fd, signal.SIGKILL)


def _kill_group_at_end(lifeline: int, group: int) -> None:
    """Have the kernel kill ``group`` when the writing end of ``lifeline`` closes, even by the suite's own death.

    F_SETSIG belongs to the open file, which the new process inherits. Unlike PR_SET_PDEATHSIG this does not depend on
    the thread that started the process, and a program that is stuck need not cooperate.
    """
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -group)
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _members(pid: int, descendants: _Descendants, around: frozenset[int]) -> list[int]:
    """Return the service, then everything that it has started, without the processes ``around`` it."""
    return [pid, *(other for other in descendants.members() if other != pid and other not in around)]


def _catches(pid: int, number: signal.Signals) -> bool:
    """Return True if a process has a handler for a signal."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:")), "0")
    return bool(int(caught, 16) >> (number - 1) & 1)
