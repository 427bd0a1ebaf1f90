"""Schedulers of a cluster are killed, or stopped for less or more time than the run waits for them.

A killed scheduler takes the cluster with it: the run keeps what has ended and says what is missing, another cluster is
started at the same address, and ``--resume`` goes on there. One that is stopped and comes back costs time at most.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from distributed import Client

from nnvet.reports.events import Verdict
from nnvet.reports.log import Log
from nnvet.reports.outcome import EXIT_SUITE_FAILED
from tests.attack.figures import Attack, Figures
from tests.attack.runs import PATIENCE_S, SLOW, Run, ended, listed, log_of, until

_ONLY: Final = "GeneratedTest/sync/*"
_SMALL: Final = "GeneratedTest/sync/add*"
_SHORT: Final = 10
_LAST: Final = 0.85
_WORKERS: Final = 2
_AWAY_S: Final = 30.0
"""Time after which a run takes its scheduler to be gone (``Fleet.away_s``)."""
_KINDS: Final = {"kill": 2, "stop briefly": 2, "stop for long": 1}
_STOPPED_S: Final = {"stop briefly": (0.1, 5.0), "stop for long": (_AWAY_S + 5, _AWAY_S + 15)}
_CODES: Final = {"kill": {EXIT_SUITE_FAILED}, "stop briefly": {0}, "stop for long": {0, EXIT_SUITE_FAILED}}
"""Exit codes of a run after each kind of hit; by accident it may have ended before it notices."""


def schedulers(tries: int, seed: int, folder: Path) -> Figures:
    """Hit the scheduler of a run ``tries`` times, always a living one."""
    chance = random.Random(seed)
    short = tries < _SHORT
    only, driver = (_SMALL, SLOW) if short else (_ONLY, "reference")
    kinds = list(_KINDS)[:tries] if short else chance.choices(list(_KINDS), list(_KINDS.values()), k=tries)
    expected = listed(only)
    port = _free_port()
    run = Run(folder, only, "-d", driver, "--timeout", "60", "--cluster", f"tcp://127.0.0.1:{port}", "--chunk", "5")
    figures = Figures(notes=", ".join(f"{count} x {kind}" for kind, count in sorted(Counter(kinds).items())))
    done: set[str] = set()
    for number, kind in enumerate(kinds):
        at = int(len(expected) * _LAST * (number + chance.random()) / tries)
        with _cluster(folder / f"cluster {number}", port) as scheduler:
            wrong = _hit(run, scheduler, kind, at, chance)
        log = log_of(run)
        kept = set(log.results) if isinstance(log, Log) else set()
        wrong = wrong or (log if isinstance(log, str) else "") or _lost(done - kept)
        figures.see(wrong and f"{number}, {kind} after {at} cases: {wrong}")
        done = kept
    with _cluster(folder / "last cluster", port):
        code = run.finish("--resume")
    for wrong in (_end_wrong(run, code, expected), *run.survivors(), *run.leftovers()):
        figures.see(wrong)
    return figures


def _lost(cases: set[str]) -> str:
    return f"{len(cases)} cases were in the log and are not any more" if cases else ""


def _hit(run: Run, scheduler: subprocess.Popen[bytes], kind: str, at: int, chance: random.Random) -> str:
    """Return the fault in the end of a run whose scheduler is hit when so many cases have ended."""
    with run.start("--resume") as process:
        if not until(lambda: run.finished_cases() >= at or process.poll() is not None):
            process.kill()
            return f"{at} cases have not ended: {run.said[-1000:]}"
        time.sleep(chance.uniform(0, 1))
        if process.poll() is not None:
            return f"it has ended before: {run.said[-1000:]}"
        if kind == "kill":
            scheduler.kill()
        else:
            scheduler.send_signal(signal.SIGSTOP)
            time.sleep(chance.uniform(*_STOPPED_S[kind]))
            scheduler.send_signal(signal.SIGCONT)
        if kind == "stop briefly":
            # It goes on, so there is nothing to wait for; the next hit strikes a run that is continued.
            before = run.finished_cases()
            went_on = until(lambda: run.finished_cases() > before or process.poll() is not None)
            process.send_signal(signal.SIGINT)
            code = ended(process)
            right = code in (0, 128 + signal.SIGINT) and went_on
            return "" if right else f"it has not gone on, exit code {code}: {run.said[-1000:]}"
        code = ended(process)
    if code not in _CODES[kind] or "Traceback" in run.said:
        return f"exit code {code}: {run.said[-1500:]}"
    return "" if code == 0 or "--resume" in run.said else f"no message says how to go on: {run.said[-500:]}"


def _end_wrong(run: Run, code: int, expected: set[str]) -> str:
    log = log_of(run)
    if isinstance(log, str) or code != 0 or not log.is_complete:
        return f"the last run ends with {code}: {run.said[-1000:]}"
    if set(log.results) != expected:
        return f"{len(expected - set(log.results))} cases are missing, {len(set(log.results) - expected)} too many"
    wrong = [result.case for result in log.results.values() if result.verdict is not Verdict.PASS]
    return f"not PASS: {wrong[:5]}" if wrong else ""


@contextmanager
def _cluster(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Yield the scheduler of a cluster with two workers, which end with the block."""
    folder.mkdir(parents=True)
    said = folder / "scheduler.json"
    processes = [_start(folder, "dask_scheduler", "--port", str(port), "--scheduler-file", str(said))]
    try:
        if not until(said.exists):
            raise TimeoutError((folder / "said.txt").read_text(encoding="utf-8"))
        address = json.loads(said.read_text(encoding="utf-8"))["address"]
        processes += [_start(folder, "dask_worker", address, "--nthreads", "1") for _ in range(_WORKERS)]
        with Client(address, timeout=PATIENCE_S, set_as_default=False) as client:
            client.wait_for_workers(_WORKERS, PATIENCE_S)
        yield processes[0]
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(PATIENCE_S)


def _start(folder: Path, module: str, *options: str) -> subprocess.Popen[bytes]:
    code = f"import sys; from distributed.cli.{module} import main; sys.exit(main())"
    with (folder / "said.txt").open("ab") as said:
        return subprocess.Popen(
            [sys.executable, "-c", code, "--no-dashboard", "--host", "127.0.0.1", *options],
            cwd=folder,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


SCHEDULERS: Final = Attack(
    "hits on schedulers", schedulers, 2, 30, "what has ended is kept, `--resume` goes on, every case passes once"
)
