"""The parent's side of a service process: start it, watch it, read its output, gather evidence, and end it.

:class:`ServiceProcess` is the entry point; :mod:`nnvet.adapters.drivers` makes one for every driver that the suite
starts. The program is :mod:`nnvet.adapters.service.main`, or a third party's. No process is left behind, even if the
suite itself is killed. Evidence comes from the neighbours: :mod:`~nnvet.adapters.service.crashes` (output, cores),
:mod:`~nnvet.adapters.service.stacks`, :mod:`~nnvet.adapters.service.activity`; :mod:`~nnvet.adapters.service.strays`
finds descendants, and :mod:`~nnvet.adapters.service.sandbox` confines them. A service that was started outside the
suite is watched by :mod:`nnvet.adapters.service.peer` instead.
"""

from __future__ import annotations

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
from typing import IO, Final, Protocol, cast

from msgspec.structs import replace

from nnvet.adapters.service import crashes, strays
from nnvet.adapters.service.activity import MemoryMeter, ProcessActivity, state_of
from nnvet.adapters.service.belongings import STACKS_SIGNAL, STUCK_SIGNAL
from nnvet.adapters.service.crashes import CrashWatch, DriverOutput, end_of, fault_in, place_of
from nnvet.adapters.service.sandbox import Confinement, code_inside, find_service, has_ended
from nnvet.adapters.service.stacks import stacks_of_process
from nnvet.adapters.service.strays import (
    MARK_VARIABLE,
    Marked,
    adopt_orphans,
    forget_service,
    kill_group_at_end,
    reap_strays,
    starting_service,
)
from nnvet.adapters.service.traps import catches
from nnvet.hal.types import OwnedHandle
from nnvet.transport.wire.failures import DeathEvidence

KILLING_S: Final = 30.0
"""Time for a process and its descendants to end after they were killed."""

_DEATH_S: Final = 5.0
"""Time for a dying process to end: the kernel has to write its core and free its memory first."""
_STACKS_S: Final = 3.0
"""Time for a process to print its stacks after it was asked for them."""
_PAUSE_S: Final = 0.05
"""The stacks of a process count as complete after this time without further output."""
_STOPPED: Final = "stopped"
"""State in the words of :func:`nnvet.adapters.service.activity.state_of`: a stopped process prints nothing."""
_CHILDREN: Final = 3
"""Largest number of descendants of a service whose stacks are taken."""
_LOOK_EVERY_MS: Final = 100
"""Time between two looks at a process that prints nothing and does not end."""
_MEASURED_EVERY: Final = 3
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

    def memory_at_kill(self) -> int | None:
        """Return the bytes in use when the kernel killed the processes for exceeding the limit; None if it did not."""

    def end(self) -> None:
        """Kill the remaining processes after the service has ended."""


class ServiceProcess:
    """A running program in a process group of its own. A thread of the suite reads its ``output`` and notices its end.

    ``pid`` is the service. In a sandbox other processes are around it: ``_group`` is then the outermost one, which is
    our child, and ``_around`` has all of them. Without a sandbox ``_group`` is the service itself.
    """

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
        self._meter = MemoryMeter()
        self._marked = Marked()
        self._descendants: _Descendants = strays.make(memory_limit) or self._marked
        adopt_orphans()
        self._dead = threading.Event()
        self._core = crashes.CoreDump()
        with ExitStack() as undo:
            undo.callback(self._end_descendants)
            lifeline, self._lifeline = os.pipe()
            undo.callback(os.close, self._lifeline)
            try:
                self._start(command, (inherited, lifeline), environment, confinement, undo)
                kill_group_at_end(lifeline, self._group)
            finally:
                os.close(lifeline)
            self.output = DriverOutput(cast("IO[bytes]", self._process.stdout).fileno())
            self._crash = CrashWatch(self.output)
            # A function bound to this object would make a reference cycle, and descriptors would stay open until the
            # garbage collector runs.
            self.activity = ProcessActivity(partial(_members, self.pid, self._descendants, self._around))
            # Unlike a process id, a pidfd never comes to mean another process.
            self._pidfd = OwnedHandle(self._open_pidfd())
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
            self._spawn(command, descriptors, environment, undo)
        else:
            status, theirs = os.pipe()
            # Bubblewrap also writes here when the service ends, and would die of SIGPIPE if nobody could read.
            self._status = OwnedHandle(status)
            try:
                inside = {**environment, **confinement.environment()}
                self._spawn(confinement.command(command, theirs), (*descriptors, theirs), inside, undo)
            finally:
                os.close(theirs)
            self._around, service = find_service(self._group, status)
            # If the service has ended already, the end of the process around it stands for its own.
            self.pid = service or self._group
        self._core.expect(self.pid)
        self._take()

    def _spawn(
        self, command: Sequence[str], descriptors: tuple[int, ...], environment: Mapping[str, str], undo: ExitStack
    ) -> None:
        """Start ``command`` as the leader of a new process group, which ``undo`` kills."""
        with starting_service() as register:
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
            register(self._group)
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

    def _open_pidfd(self) -> int:
        """Return a pidfd of the service, or of the process around it if the service in a sandbox is gone already."""
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
            self._core.ask()

    def evidence(self, dead: bool) -> DeathEvidence:  # noqa: FBT001 - the form of Session's diagnose
        """Return the state of the process, with the stacks of its threads if it hangs.

        Waits a moment for the end of a dying process.
        """
        self._crash.wait(_EXAMINED_S)
        if dead or self._crash.stacks:
            self._dead.wait(_DEATH_S)
        if not self.alive:
            return self._describe_death()
        state = state_of(self._members())
        if self._prints_stacks and not dead and state != _STOPPED:
            # STUCK_SIGNAL can kill a process that runs Python code, so it is sent only if the first signal had no
            # effect.
            _ = self._request_stacks(STACKS_SIGNAL) or self._request_stacks(STUCK_SIGNAL)
        stacks = "" if dead else self._read_native_stacks()
        if not self._prints_stacks and not dead and catches(self.pid, signal.SIGQUIT):
            # Runtimes of Go and Java print their stacks at SIGQUIT; Go's then exits, so the native stacks were taken
            # first.
            self._request_stacks(signal.SIGQUIT)
        return DeathEvidence(call="", state=state, pid=self.pid, stderr_tail=self.output.text(), native_stacks=stacks)

    def _members(self) -> list[int]:
        return _members(self.pid, self._descendants, self._around)

    def _read_native_stacks(self) -> str:
        """Return the native stacks of the process and of its descendants."""
        stacks = {pid: stacks_of_process(pid).text for pid in self._members()[: 1 + _CHILDREN]}
        first = stacks.pop(self.pid)
        return first + "".join(f"of a process that it has started:\n{text}" for text in stacks.values() if text)

    def _request_stacks(self, number: signal.Signals) -> bool:
        """Ask the process to print its stacks, and wait until they seem complete; return True if it printed anything.

        The signal would kill a process that has no handler for it, because its interpreter has not started yet or has
        ended; such a process is not asked.
        """
        if not catches(self.pid, number):
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

    def _describe_death(self) -> DeathEvidence:
        """Return how the process ended, with the place of the fault and all stacks that can be found.

        Stacks taken at the fatal signal are preferred; a core is the substitute where the process could not be stopped.
        """
        code = code_inside(self._process.returncode) if self._around else self._process.returncode
        state, name = end_of(code)
        output = self.output.text()
        found = self._core.examine() if name else crashes.NOTHING
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
        """Watch the process until its end, and clean up after it; the body of the watching thread."""
        try:
            self._watch_until_end()
        except Exception as error:  # noqa: BLE001 - what nobody watches must not live, and its death is our doing
            self._suite_fault = f"the process could not be watched any more: {type(error).__name__}: {error}"
        finally:
            self._end_process()

    def _watch_until_end(self) -> None:
        """Read the output and check the memory of the process until it ends."""
        output = cast("IO[bytes]", self._process.stdout).fileno()
        poller = select.poll()
        poller.register(output, select.POLLIN)
        poller.register(self._pidfd.fd, select.POLLIN)
        for turn in itertools.count():
            ready = {descriptor for descriptor, _ in poller.poll(_LOOK_EVERY_MS)}
            if turn % _MEASURED_EVERY == 0:
                reap_strays()
                self._limit_memory()
            if output in ready and not self.output.read():
                poller.unregister(output)
            if self._pidfd.fd in ready:
                break
            self._crash.look(self.pid, self._pidfd.fd)

    def _end_process(self) -> None:
        """End the process, its group and all that it has started; an error in one step does not stop the others.

        The code below the callbacks comes first; then the callbacks run from the last to the first.
        """
        with ExitStack() as steps:
            steps.callback(self._dead.set)
            steps.callback(forget_service, self._group)
            steps.callback(self._process.__exit__, None, None, None)
            steps.callback(os.close, self._lifeline)
            steps.callback(self._core.see, self._pidfd.fd)
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
                self._too_much = self._descendants.memory_at_kill()

    def _limit_memory(self) -> None:
        """Kill the process if it uses too much memory."""
        if self._memory_limit is None or self._too_much is not None:
            return
        memory = self._meter.measure(self._members())
        if memory > self._memory_limit:
            self._too_much = memory
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd.fd, signal.SIGKILL)


def _members(pid: int, descendants: _Descendants, around: frozenset[int]) -> list[int]:
    """Return the service, then everything that it has started, without the processes ``around`` it."""
    return [pid, *(other for other in descendants.members() if other != pid and other not in around)]
