"""A driver on another machine, which an agent has started there and watches."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.driver import Driver
from nnvet.adapters.remote.adb import over_adb
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

REMOTE: Final = ("tcp", "ssh", "adb")
"""Kinds of drivers on other machines."""

RETURN_S: Final = 30.0
"""Time in which a lost link has to come about again."""
_PAUSE_S: Final = 0.5
_DEATH_S: Final = 5.0
_KILLING_S: Final = 30.0
_GOODBYE_S: Final = 1.0
_EXIT: Final = "exit"
_WRITTEN_AT_ONCE: Final = 1 << 14
_NS_PER_S: Final = 1e9


class RemoteOutput:
    """Output of a program elsewhere, as it comes over the link."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self._ends = tuple(map(OwnedHandle, os.pipe()))
        self.heard = DriverOutput(self._ends[0].fd)

    def hear(self, data: bytes) -> None:
        """More has come."""
        while data:
            os.write(self._ends[1].fd, data[:_WRITTEN_AT_ONCE])
            data = data[_WRITTEN_AT_ONCE:]
            self.heard.read()


class RemoteDriver(Driver):
    """A driver behind an agent; each connection has a process of its own there."""

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

        A process that has more than ``memory_limit`` bytes is killed; None: it may have all.
        """
        self.memory_limit = memory_limit
        self._activity = ActivityCount()
        super().__init__(selector, timeout_s, start_timeout_s)

    @property
    def alive(self) -> bool:
        """True while process, link and connection stand."""
        return not self._link.ended.is_set() and self.session.alive

    @property
    def output(self) -> str:
        """The end of what the process and its children have printed."""
        return self._output.heard.text()

    def forget(self) -> None:
        """Forget the output until now; see :class:`nnvet.adapters.driver.Driver`."""
        super().forget()
        self._output.heard.forget()

    def kill(self) -> None:
        """Have the process killed, and whatever it has started."""
        self._is_killed = True
        if not self._link.loss:
            self._link.kill()
            self._link.ended.wait(_KILLING_S)
        self.session.close()
        self._leave()

    def close(self) -> None:
        """Hang up; the agent kills what does not end by itself then."""
        self.session.close()
        self._link.ended.wait(_GOODBYE_S)
        self._leave()

    def part(self) -> DriverGone | None:
        """Hang up and wait as long as for an answer; see :class:`nnvet.adapters.driver.Driver`."""
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

        :raises OutOfReachError: there is no link to be had for :data:`RETURN_S`.
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

    @contextmanager
    def another_client(self) -> Iterator[Device]:
        """See :class:`nnvet.adapters.driver.Driver`; the second session goes over the same link."""
        carrier = LinkCarrier(self._link)
        self.session.call(SERVICE_ID, METHODS["Service.open_client"], (carrier.handle,))
        session = self._session(carrier)
        try:
            yield session.device
        finally:
            session.close()

    def connection_of_client(self) -> socket.socket:
        """Refuse: no socket leads to another machine's service.

        :raises HalError: INVALID_ARGUMENT with rule ``wire/method``, as of a service with one client only.
        """
        raise invalid("no socket reaches the driver's service, which is on another machine", "wire/method")

    def _connect(self) -> Carrier:
        self._output = RemoteOutput()
        self._is_killed = False
        to_agent = over_adb if self.selector.kind.name == "adb" else reach
        self._road = to_agent(self.selector, self.start_timeout_s)
        try:
            self._link = Link(
                self._road.connection, self._road.token, self._output.hear, self.start_timeout_s, self.memory_limit
            )
        except LinkError as error:
            reason = self._road.reason()
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
            return DeathEvidence(call="", state=self._state_of_process(), stderr_tail=output)
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
        if not link.taken:
            return evidence
        state = "killed for the memory that it had"
        return replace(evidence, state=state, memory_limit=self.memory_limit, memory=link.taken)

    def _state_of_process(self) -> str:
        seen = self._link.look()
        return "unknown" if seen is None else state_in_words([[one.state for one in some] for some in _read(seen)[1]])

    def _look(self) -> Activity | None:
        seen = self._link.look()
        if seen is None:
            return None
        processor_s, processes = _read(seen)
        return self._activity.count(processor_s, [thread for some in processes for thread in some])


def _read(seen: str) -> tuple[float, list[list[ThreadState]]]:
    """Processor time of all processes in seconds, and the threads of each, from an agent's lines about them."""
    per_s, ticks = 1, 0
    processes: list[list[ThreadState]] = []
    for line in seen.splitlines():
        match line.split():
            case ["ticks", number]:
                per_s = int(number)
            case ["process", _, number]:
                ticks += int(number)
                processes.append([])
            case ["thread", identifier, state, waited_ns]:
                processes[-1].append(ThreadState(identifier, state, int(waited_ns)))
            case _:
                # The answer was too long, and was cut.
                break
    return ticks / per_s, processes
