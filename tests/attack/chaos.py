"""Chaos: services, workers and the runner of a run are killed or stopped, each at a moment drawn from the seed.

The run goes on under a progress that is drawn too: so many cases have ended when the next process is hit. A runner that
was killed is started again with ``--resume``, until the run comes to its end.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import psutil

from nnvet.conformance.engine.driver import STARTS_TRIED
from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.log import Log
from tests.attack.figures import Attack, Figures
from tests.attack.runs import PATIENCE_S, SLOW, Run, ended, listed, log_of, until

_SHORT: Final = 10
"""With fewer hits the run is a small one."""


@dataclass(frozen=True)
class _Siege:
    """Targets and kinds of hits, with weights, and the cases of a long run under them; a small run has the first."""

    kinds: Mapping[tuple[str, str], int]
    only: str
    full: bool


# The processes that are stopped cost seconds each, in which the others go on: it takes many cases.
_MIXED: Final = _Siege(
    {
        ("service", "kill"): 30,
        ("worker", "kill"): 15,
        ("runner", "stop"): 15,
        ("runner", "kill"): 10,
        ("service", "stop"): 20,
        ("worker", "stop"): 10,
    },
    "GeneratedTest/*",
    full=True,
)
_RUNNERS: Final = _Siege({("runner", "kill"): 1, ("runner", "stop"): 1}, "GeneratedTest/sync/*", full=True)
_WORKERS: Final = _Siege({("worker", "kill"): 3, ("worker", "stop"): 2}, "GeneratedTest/*", full=False)
_LAST: Final = 0.85
"""Part of the run in which all hits are struck: what is hit when nothing is left to do cannot be reported."""
_PATIENT: Final = 0.7
"""Part of the hits on workers and the runner that leave time for a report; the others strike when they like."""
_SIGNALS: Final = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}


@dataclass(frozen=True)
class _Order:
    """Hit a process of a role some seconds after a number of cases have ended.

    ``waits``: a worker or the runner is not killed before the log says what became of the services that it watches.
    """

    role: str
    action: str
    cases: int
    delay_s: float
    waits: bool


@dataclass(frozen=True)
class _Hit:
    """A process that was hit; its worker, if it is a service; and the number of the runner's start."""

    order: _Order
    pid: int
    worker: int
    life: int


def chaos(tries: int, seed: int, folder: Path, siege: _Siege = _MIXED) -> Figures:
    """Hit ``tries`` processes over a run of the generated tests; see the module."""
    chance = random.Random(seed)
    short = tries < _SHORT
    only, driver, delay_s = ("GeneratedTest/sync/add*", SLOW, 0.2) if short else (siege.only, "reference", 2.0)
    full = siege.full and not short
    expected = listed(only, full=full)
    # In a small run nothing is left to chance but the moment.
    kinds = list(siege.kinds)
    kinds = kinds[:tries] if short else chance.choices(kinds, list(siege.kinds.values()), k=tries)
    cases = len(expected) * _LAST / tries
    orders = [
        _Order(*kind, int(cases * (number + chance.random())), chance.uniform(0, delay_s), chance.random() < _PATIENT)
        for number, kind in enumerate(kinds)
    ]
    options = ("-d", driver, "-n", "2", "--timeout", "10", *["--full"] * full)
    attack = _Chaos(Run(folder, only, *options), orders)
    attack.go()
    return attack.judged(expected)


class _Chaos:
    """A run under attack, what was hit, and what the logs of the runner's lives say of it."""

    def __init__(self, run: Run, orders: Sequence[_Order]) -> None:
        self._run = run
        self._left = list(orders)
        self._hits: list[_Hit] = []
        self._life = 0
        self._code = 0
        self._reported: set[int] = set()
        self._wrongs: list[str] = []
        self._seconds_stopped = random.Random(len(orders))

    def go(self) -> None:
        """Start the runner, attack, and start it again while it was killed."""
        while not self._life or self._code == -signal.SIGKILL:
            self._life += 1
            with self._run.start("--resume") as process:
                self._attack(process)
                self._code = ended(process)
            self._wrongs += [f"life {self._life}: left behind: {survivor}" for survivor in self._run.survivors()]
            log = log_of(self._run)
            if isinstance(log, str):
                self._wrongs.append(f"life {self._life}: {log}")
            self._reported |= _reported(self._run.log)

    def judged(self, expected: set[str]) -> Figures:
        """One try for each hit, and one for each of what has to be true at the end."""
        figures = Figures()
        for order in self._left:
            figures.see(f"the run has ended before {order}")
        for hit in self._hits:
            figures.see(self._unreported(hit))
        for check in (self._wrongs, self._ends_wrong(), self._results_wrong(expected), self._run.leftovers()):
            figures.see("; ".join(check))
        counts = Counter(f"{hit.order.role} {hit.order.action}" for hit in self._hits)
        lost = sum(hit.order.role == "service" and hit.pid not in self._reported for hit in self._hits)
        figures.notes = ", ".join(f"{count} x {kind}" for kind, count in sorted(counts.items()))
        figures.notes += f"; {lost} services hit together with who watched them"
        log = log_of(self._run)
        if isinstance(log, Log):
            figures.notes += f"; {len(expected):,} cases: " + ", ".join(
                f"{count} {verdict}" for verdict, count in log.counts.items() if count
            )
        return figures

    def _attack(self, process: subprocess.Popen[bytes]) -> None:
        while self._left and self._progresses(process, self._left[0].cases):
            order = self._left[0]
            # No synchronisation, but a part of the moment.
            time.sleep(order.delay_s)
            if not self._strike(process, order):
                return
            self._left.pop(0)
            if (order.role, order.action) == ("runner", "kill"):
                return

    def _progresses(self, process: subprocess.Popen[bytes], cases: int) -> bool:
        """Wait until so many cases have ended; False if the runner ends before, or nothing moves any more."""
        seen = (-1, 0.0)
        while process.poll() is None:
            finished = self._run.finished_cases()
            if finished >= cases:
                return True
            if finished != seen[0]:
                seen = (finished, time.monotonic())
            elif time.monotonic() - seen[1] > PATIENCE_S:
                self._wrongs.append(f"nothing has moved for {PATIENCE_S:g} s after {finished} cases")
                process.kill()
                return False
            time.sleep(0.05)
        return False

    def _strike(self, process: subprocess.Popen[bytes], order: _Order) -> bool:
        if order.role == "runner":
            if order.action == "kill" and order.waits:
                until(lambda: process.poll() is not None or not self._pending(), PATIENCE_S)
            process.send_signal(_SIGNALS[order.action])
            self._hits.append(_Hit(order, process.pid, 0, self._life))
            if order.action == "stop":
                time.sleep(self._seconds_stopped.uniform(0.1, 4 * order.delay_s))
                process.send_signal(signal.SIGCONT)
            return True
        struck: list[_Hit] = []

        def done() -> bool:
            with suppress(psutil.Error):
                for victim in self._victims(order):
                    hit = _Hit(order, victim.pid, victim.ppid(), self._life)
                    victim.send_signal(_SIGNALS[order.action])
                    struck.append(hit)
                    return True
            return process.poll() is not None

        until(done)
        self._hits += struck
        return bool(struck)

    def _victims(self, order: _Order) -> Iterator[psutil.Process]:
        """Whoever has not been hit yet; a driver that dies at so many starts in a row would be given up for good."""
        pending = self._pending()
        hit_before = {hit.pid for hit in self._hits}
        watchers = {process.pid for process in self._run.processes("worker")}
        found = [process for process in self._run.processes(order.role) if process.pid not in hit_before]
        self._seconds_stopped.shuffle(found)
        for process in found:
            if order.role == "worker" and not (order.waits and pending[process.pid]):
                yield process
            # Processes of a dying worker end with it.
            if order.role == "service" and process.ppid() in watchers and pending[process.ppid()] < STARTS_TRIED - 1:
                yield process

    def _pending(self) -> Counter[int]:
        """For each worker that was not hit itself, how many of its services were hit and are not reported yet."""
        known = self._reported | _reported(self._run.log)
        hit = {hit.pid for hit in self._hits}
        services = [hit for hit in self._hits if hit.order.role == "service" and hit.life == self._life]
        return Counter(service.worker for service in services if service.pid not in known and service.worker not in hit)

    def _unreported(self, hit: _Hit) -> str:
        """Why the log does not account for a hit; what a killed worker knew is lost, and its cases run again."""
        if hit.order.role != "service" or hit.pid in self._reported:
            return ""
        for other in self._hits:
            if other.pid == hit.worker or (other.life == hit.life and _kills_runner(other) and not other.order.waits):
                return ""
        return f"no case and no start reports process {hit.pid} ({hit.order})"

    def _ends_wrong(self) -> list[str]:
        log, said = log_of(self._run), self._run.said
        wanted = int(isinstance(log, Log) and bool(log.counts[Verdict.CRASH] + log.counts[Verdict.HANG]))
        wrong = [] if self._code == wanted else [f"exit code {self._code} in place of {wanted}: {said[-2000:]}"]
        return wrong + (["a traceback: " + said[-2000:]] if "Traceback" in said else [])

    def _results_wrong(self, expected: set[str]) -> list[str]:
        log = log_of(self._run)
        if isinstance(log, str):
            return [log]
        cases = {case for case in log.results if not case.startswith("driver/")}
        struck = {hit.pid for hit in self._hits if hit.order.role == "service"}
        checks = {
            "the log is not complete": [] if log.is_complete else [log.path],
            "missing": expected - cases,
            "never listed": cases - expected,
            "unexplained": [
                f"{result.case}: {result.verdict} {result.reason}"
                for result in log.results.values()
                if not _explained(result, struck)
            ],
        }
        return [f"{what}: {sorted(map(str, found))[:5]}" for what, found in checks.items() if found]


def _kills_runner(hit: _Hit) -> bool:
    return (hit.order.role, hit.order.action) == ("runner", "kill")


def _explained(result: CaseFinished, struck: set[int]) -> bool:
    """Return True if a verdict is PASS, or a death of a process that was hit."""
    if result.verdict in (Verdict.CRASH, Verdict.HANG):
        return bool(set(_pids(result.evidence)) & struck)
    return result.verdict is Verdict.PASS


def _reported(log: Path) -> set[int]:
    """The processes that died or hung according to a log."""
    found: set[int] = set()
    with suppress(OSError):
        for line in log.read_bytes().splitlines():
            if b'"timings"' in line:
                with suppress(ValueError):
                    found.update(_pids(json.loads(line).get("evidence", {})))
    return found


def _pids(evidence: dict[str, Any]) -> Iterable[int]:
    timings = evidence.get("timings", {})
    return timings.get("pids") or [timings["pid"]] if timings else []


_WITHSTOOD: Final = "each hit is reported, every case runs once, nothing is left behind"
CHAOS: Final = Attack("chaos", chaos, 4, 100, _WITHSTOOD)
RUNNERS: Final = Attack("hits on runners", partial(chaos, siege=_RUNNERS), 2, 100, _WITHSTOOD)
WORKERS: Final = Attack("hits on workers", partial(chaos, siege=_WORKERS), 2, 100, _WITHSTOOD)
