"""A driver on another machine, which an agent there starts and watches.

:class:`RemoteDriver` is the counterpart of :class:`nnvet.adapters.drivers.ProcessDriver` for other machines, and
:func:`nnvet.adapters.drivers.open_driver` opens it: it has the same evidence about crashes and hangs, which the agent
gathers. A lost link is never blamed on the driver. :mod:`nnvet.adapters.remote.link` is the link itself.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from msgspec.structs import replace

from nnvet.adapters.driver import Driver, Holdings
from nnvet.adapters.remote.adb import reach_over_adb
from nnvet.adapters.remote.carrier import LinkCarrier
from nnvet.adapters.remote.link import Link, LinkError
from nnvet.adapters.remote.reaching import Road, reach
from nnvet.adapters.selector import OutOfReachError, Selector, SelectorError
from nnvet.adapters.service.activity import DEFAULT_LIMIT, ActivityCount, ThreadState, state_in_words
from nnvet.adapters.service.crashes import DriverOutput, end_of, fault_in, place_of
from nnvet.hal.errors import invalid
from nnvet.hal.interfaces import Device
from nnvet.hal.types import OwnedHandle
from nnvet.transport.wire.carriers import Carrier
from nnvet.transport.wire.failures import DeathEvidence, DriverCrash, DriverGone
from nnvet.transport.wire.limits import Activity, WaitLimit
from nnvet.transport.wire.methods import METHODS, SERVICE_ID
from nnvet.transport.wire.texts import one_line

REMOTE: Final = ("tcp", "ssh", "adb")
"""Kinds of drivers on other machines."""

RETURN_S: Final = 30.0
"""The time in which a lost link has to be restored; otherwise the driver is out of reach."""
_PAUSE_S: Final = 0.5
"""Pause between two attempts to restore a link."""
_DEATH_S: Final = 5.0
"""Time for the agent's report that a dying process has ended."""
_KILLING_S: Final = 30.0
"""Time for a process to end after the agent was asked to kill it."""
_GOODBYE_S: Final = 1.0
"""Time in which a process has to end by itself after its connection was closed."""
_EXIT: Final = "exit"
"""Name that stands for the call in evidence about a process that has to end because its client has gone."""
_WRITTEN_AT_ONCE: Final = 1 << 14
"""Bytes that a pipe takes without blocking, even where pipes are smaller than the usual 64 KiB."""
_NS_PER_S: Final = 1e9
_DIGITS: Final = 20
"""Most digits of a number of 64 bits."""


class RemoteOutput:
    """The output of a program on another machine, as it arrives over the link."""

    def __init__(self) -> None:
        """Make a pipe, so that the output passes through the same reader as that of local programs."""
        self._ends = tuple(map(OwnedHandle, os.pipe()))
        self.heard = DriverOutput(self._ends[0].fd)

    def add(self, data: bytes) -> None:
        """Add output that has arrived."""
        # Each part is read before the next is written, so writing never waits.
        while data:
            os.write(self._ends[1].fd, data[:_WRITTEN_AT_ONCE])
            data = data[_WRITTEN_AT_ONCE:]
            self.heard.read()


class RemoteDriver(Driver):
    """A driver behind an agent; the agent starts a process for each link."""

    _link: Link
    _road: Road
    _output: RemoteOutput
    _is_killed = False

    def __init__(
        self,
        selector: Selector,
        timeout_s: float | None,
        start_timeout_s: float | None,
        memory_limit: int | None = DEFAULT_LIMIT,
    ) -> None:
        """Connect; see :class:`nnvet.adapters.driver.Driver`.

        The agent kills the process if it uses more than ``memory_limit`` bytes; None sets no limit.
        """
        self.memory_limit = memory_limit
        self._activity = ActivityCount()
        super().__init__(selector, timeout_s, start_timeout_s)

    @property
    def round_trip_s(self) -> float:
        """See :class:`nnvet.adapters.driver.Driver`; the shortest of the last comparisons of clocks."""
        return self._link.clock.round_trip_ns / _NS_PER_S

    @property
    def alive(self) -> bool:
        """True while the process runs, and link and connection are open."""
        return not self._link.ended.is_set() and self.session.alive

    @property
    def output(self) -> str:
        """The end of the output of the process and its children."""
        return self._output.heard.text()

    def forget(self) -> None:
        """Forget the output until now; see :class:`nnvet.adapters.driver.Driver`."""
        super().forget()
        self._output.heard.forget()

    def kill(self) -> None:
        """Have the process killed with everything that it has started."""
        self._is_killed = True
        if not self._link.loss:
            self._link.kill()
            self._link.ended.wait(_KILLING_S)
        self.session.close()
        self._leave()

    def close(self) -> None:
        """Hang up. The agent kills the process if it does not end by itself."""
        self.session.close()
        self._link.ended.wait(_GOODBYE_S)
        self._leave()

    def part(self) -> DriverGone | None:
        """Hang up, and wait for the end of the process as long as for a reply.

        See :meth:`nnvet.adapters.drivers.ProcessDriver.part`. A lost link is no fault of the driver.
        """
        self.session.close()
        limit = WaitLimit(self.timeout_s, self._look)
        gone: DriverGone | None = None
        if self._is_killed or self._link.loss:
            return None
        if not limit.wait(self._link.ended.wait):
            gone = self.session.hang(_EXIT, limit)
            gone.message = f"the driver's process does not end within {limit} after its client has gone"
            self.kill()
        elif (evidence := self._diagnose(dead=True)).exit_code:
            gone = DriverCrash(f"{_EXIT}: {evidence.end}", replace(evidence, call=_EXIT))
            gone.message += gone.last_output
        if gone is not None:
            gone.rule = "driver/exit"
        return gone

    def restart(self) -> None:
        """Replace the driver by a fresh one; see :class:`nnvet.adapters.driver.Driver`.

        :raises OutOfReachError: no link can be made for :data:`RETURN_S`.
        """
        self.kill()
        latest = time.monotonic() + RETURN_S
        while True:
            try:
                self.session = self._open()
            except SelectorError as error:
                if time.monotonic() > latest:
                    raise OutOfReachError(f"{error}, for {RETURN_S:g} s") from error
            except DriverGone as gone:
                if not gone.evidence.suite_fault or time.monotonic() > latest:
                    raise
            else:
                return
            time.sleep(_PAUSE_S)

    def holdings(self) -> Holdings | None:
        """See :class:`nnvet.adapters.driver.Driver`; the agent counts, and does not count itself."""
        seen = self._link.look()
        processes = _parse(seen)[1] if seen else []
        if not processes:
            return None
        descriptors, resident, address = zip(*[process.held for process in processes], strict=True)
        threads = sum(len(process.threads) for process in processes)
        return Holdings(sum(descriptors), threads, sum(resident), max(address))

    @contextmanager
    def another_client(self) -> Iterator[Device]:
        """See :class:`nnvet.adapters.driver.Driver`; the second session goes over the same link."""
        carrier = LinkCarrier(self._link)
        self.session.call(SERVICE_ID, METHODS["Service.open_client"], (carrier.handle,))
        session = self._open_session(carrier)
        try:
            yield session.device
        finally:
            session.close()

    def connection_of_client(self) -> socket.socket:
        """Refuse: there is no socket to a service on another machine.

        :raises HalError: INVALID_ARGUMENT with rule ``wire/method``, as for a service that takes only one client.
        """
        raise invalid("no socket reaches the driver's service, which is on another machine", "wire/method")

    def _connect(self) -> Carrier:
        self._output = RemoteOutput()
        self._is_killed = False
        to_agent = reach_over_adb if self.selector.kind.name == "adb" else reach
        self._road = to_agent(self.selector, self.start_timeout_s)
        try:
            self._link = Link(
                self._road.connection, self._road.token, self._output.add, self.start_timeout_s, self.memory_limit
            )
        except LinkError as error:
            reason = self._road.explain()
            self._road.leave()
            raise SelectorError(f"driver '{self.selector}': there is no link to an agent: {error}{reason}") from error
        return LinkCarrier(self._link)

    def _abandon(self) -> None:
        self._leave()

    def _leave(self) -> None:
        self._link.close()
        self._road.leave()

    def _diagnose(self, dead: bool) -> DeathEvidence:  # noqa: FBT001 - see above
        link = self._link
        if dead:
            link.ended.wait(_DEATH_S)
        if link.exit_code is None and link.loss:
            return DeathEvidence(call="", state="out of reach", suite_fault=link.loss)
        output = self.output
        if link.exit_code is None:
            return DeathEvidence(call="", state=self._ask_state(), stderr_tail=output)
        state, name = end_of(link.exit_code)
        fault = fault_in(output, "")
        evidence = DeathEvidence(
            call="",
            state=state,
            exit_code=link.exit_code,
            signal=name,
            place=place_of(fault, output) if name or fault else "",
            fault=fault.name if fault and fault.name != name else "",
            frames=fault.places if fault else [],
            stderr_tail=output,
        )
        if not link.memory_at_kill:
            return evidence
        state = "killed for the memory that it had"
        return replace(evidence, state=state, memory_limit=self.memory_limit, memory=link.memory_at_kill)

    def _ask_state(self) -> str:
        """Ask the agent for the processes, and return their state in words."""
        seen = self._link.look()
        if seen is None:
            return "unknown"
        return state_in_words([[thread.state for thread in process.threads] for process in _parse(seen)[1]])

    def _look(self) -> Activity | None:
        seen = self._link.look()
        if seen is None:
            return None
        processor_s, processes = _parse(seen)
        return self._activity.count(processor_s, [thread for process in processes for thread in process.threads])


class _Process(NamedTuple):
    """A process on the other machine: its descriptors, bytes in memory and of address space; and its threads."""

    held: tuple[int, int, int]
    threads: list[ThreadState]


def _parse(seen: str) -> tuple[float, list[_Process]]:
    """Parse an agent's lines about processes: processor seconds of all, and each process.

    The agent cuts long answers, so the last line may be incomplete. Nothing is read behind a line that makes no sense.
    """
    per_s, ticks = 1, 0
    processes: list[_Process] = []
    with suppress(ValueError, IndexError):
        for line in seen.splitlines():
            match line.split():
                case ["ticks", number]:
                    per_s = max(1, _count(number))
                case ["process", _, number, descriptors, resident, address]:
                    processes.append(_Process((_count(descriptors), _count(resident), _count(address)), []))
                    ticks += _count(number)
                case ["thread", identifier, state, waited_ns]:
                    processes[-1].threads.append(ThreadState(one_line(identifier), state[:1], _count(waited_ns)))
                case _:
                    break
    return ticks / per_s, processes


def _count(text: str) -> int:
    """Return a number of the other machine's kernel.

    :raises ValueError: the text is none.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise ValueError(text)
    return int(text)
