"""Coordinator of one stress test: starts its process, and watches signs of life, time limits, deaths and resources.

:meth:`Watched.run` does all of this and returns the outcome; :mod:`nnvet.conformance.stress.running` calls it for each
test of a run. The protocol is in :mod:`nnvet.conformance.stress.messages`, the other side in
:mod:`nnvet.conformance.stress.process`. No process of a test is left afterwards, however it ends: each is in the group
of the process that started it, which the kernel ends with its parent
(:class:`nnvet.adapters.service.process.ServiceProcess`).
"""

from __future__ import annotations

import socket
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, Final

from nnvet.adapters.service.process import ServiceProcess
from nnvet.conformance.kit.outcome import Outcome
from nnvet.conformance.stress.messages import START, Beat, Dump, Dumped, Ended, Joined, PhaseBegan, TestOrder
from nnvet.conformance.stress.sampling import PAUSE_S, Sampler, family, snapshot
from nnvet.graphs.model import TestModel
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import SAMPLE_FIELDS, TIMELINE

_COMMAND: Final = (sys.executable, "-P", "-X", "faulthandler", "-m", "nnvet.conformance.stress.process")
"""Command of a test's process, without the number of its socket."""
_SILENCE_S: Final = 60.0
"""A test's process that sends no message for this long, not even a beat, is taken to be stopped or stuck."""
_DUMP_S: Final = 15.0
"""Most seconds for a hanging test's process to describe the driver and the clients."""
_GOODBYE_S: Final = 10.0
"""Most seconds for a test's process to exit after its last message."""
_START_S: Final = 120.0
"""Most seconds until the test's process announces its first phase."""
_MESSAGE_S: Final = 60
"""Most seconds to wait for the rest of a message that has begun."""


class Watched:
    """A test under way, as the coordinator sees it."""

    def __init__(self, order: TestOrder, on_beat: Callable[[str, int], None]) -> None:
        """Start the test's process; ``on_beat`` is called with its phase and the units of work done.

        :raises OSError, RuntimeError: it cannot be started.
        """
        self._order = order
        self._on_beat = on_beat
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", _MESSAGE_S, 0))
            command = (*_COMMAND, str(theirs.fileno()))
            self._process = ServiceProcess(command, theirs.fileno(), {}, prints_stacks=True)
            self._connection = Connection(ours.detach())
        self._connection.send(order)
        self._sampler = Sampler()
        self._sampler.join("test", self._process.pid)
        self._drivers: list[int] = []
        self._phases: list[tuple[str, float]] = []
        self._phase, self._until = START, time.monotonic() + _START_S
        self._heard = time.monotonic()
        self.failed_test: TestModel | None = None

    def run(self) -> Outcome:
        """Watch the test to its end and return its outcome; all its processes are gone then."""
        try:
            outcome = self._await_end()
        finally:
            self._process.kill()
            self._connection.close()
        timeline = {"fields": list(SAMPLE_FIELDS), "rows": self._sampler.rows}
        ended = replace(outcome, evidence={**outcome.evidence, "phase": self._phase})
        return ended.with_timings({"phases": self._phases, TIMELINE: timeline})

    def _await_end(self) -> Outcome:
        """Receive messages until the test ends, dies, or takes too long, and return its outcome."""
        while True:
            try:
                message = self._receive()
            except (EOFError, OSError):
                return self._judge_death()
            if isinstance(message, Ended):
                self._process.wait(_GOODBYE_S)
                self.failed_test = message.failed_test
                return message.outcome
            now = time.monotonic()
            if now > self._until:
                return self._judge_hang(f"the phase {self._phase} takes longer than it may")
            if now - self._heard > _SILENCE_S:
                return self._judge_hang(f"the test's process gives no sign of life for {_SILENCE_S:g} s")

    def _receive(self) -> Any:
        """Receive and note the next message; return None, after sampling resources, if none comes for a while."""
        if not self._connection.poll(PAUSE_S):
            self._sampler.sample()
            return None
        message = self._connection.recv()
        self._heard = time.monotonic()
        match message:
            case Joined():
                self._sampler.join(message.role, message.pid)
                self._drivers += [message.pid] * (message.role == "driver")
            case PhaseBegan():
                self._phase, self._until = message.name, self._heard + message.limit_s
                self._phases.append((message.name, self._sampler.time_s))
                self._on_beat(self._phase, 0)
            case Beat():
                self._on_beat(self._phase, message.done)
                self._sampler.sample()
        return message

    def _judge_death(self) -> Outcome:
        """Return CRASH after the death of the test's process, be it the fault of a driver in it or of the suite."""
        evidence = self._process.evidence(dead=True)
        where = "driver" if self._order.target.in_process else "test"
        reason = f"the {where}'s process {evidence.state} in phase {self._phase}"
        rule = "driver/crash" if where == "driver" else ""
        return Outcome(Verdict.CRASH, rule, reason, {"crashed": where, **evidence.as_dict()})

    def _judge_hang(self, reason: str) -> Outcome:
        """Return HANG with the state of all processes, and their stacks as far as they can be obtained."""
        processes = {f"driver {pid}": snapshot(pid) for driver in self._drivers for pid in family(driver)}
        states: dict[str, str] = {}
        end = time.monotonic() + _DUMP_S
        try:
            self._connection.send(Dump())
            while not states and time.monotonic() < end:
                message = self._receive()
                if isinstance(message, Ended):
                    break
                if isinstance(message, Dumped):
                    states = message.states
        except (EOFError, OSError):
            # The process has died meanwhile, but it hung before that.
            pass
        own = self._process.evidence(dead=False)
        states["test"] = f"{own.state}\n{own.stderr_tail}"
        evidence = {"processes": processes, "stacks": states}
        return Outcome(Verdict.HANG, "driver/hang", f"{reason}", evidence)
