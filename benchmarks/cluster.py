"""Measures a cluster on this machine against local processes, and the cost of handing out work to many workers.

``python benchmarks/cluster.py [--only GLOB] [--pairs N]`` gives 64 workers chunks of cases that only wait for 20
ms each: the share of time in which the workers are busy shows the cost of handing out work. Then it runs a part of the
suite with ``-n 2`` and with ``--cluster local:2`` in turn, and prints the ratio of the times.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from distributed import Client, LocalCluster, get_worker

from nnvet.conformance.cluster import run as cluster_run
from nnvet.conformance.cluster.chunk import Chunk, ChunkResult, Fate, SuiteIdentity
from nnvet.conformance.cluster.fleet import Fleet
from nnvet.conformance.cluster.run import OnCluster
from nnvet.conformance.engine.catalogue import Batch, Series
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.engine.work import Assignment, Ready
from nnvet.reports.events import DriverFacts
from nnvet.reports.log import read_log

_WORKERS = 64
_CASE_S = 0.02
_PER_BATCH = 20
_BATCHES = 4000


def _paired(only: str, pairs: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        times: dict[str, list[float]] = {"-n": [], "--cluster": []}
        for number in range(pairs):
            for option, value in (("-n", "2"), ("--cluster", "local:2")):
                out = Path(scratch) / f"{option.strip('-')}{number}"
                command = [sys.executable, "-P", "-m", "nnvet.commands", "run", option, value]
                begin = time.perf_counter()
                subprocess.run([*command, "--only", only, "--out", str(out)], check=True, stdout=subprocess.DEVNULL)
                times[option].append(time.perf_counter() - begin)
        cases = len(read_log(out / "run.jsonl").results)
    ours, theirs = median(times["--cluster"]), median(times["-n"])
    ratios = [far / near for near, far in zip(times["-n"], times["--cluster"], strict=True)]
    print(f"{cases} cases: {theirs:.1f} s with -n 2, {ours:.1f} s with --cluster local:2, {median(ratios):.2f} x")


def _waiting(_name: str, _key: str, _identity: SuiteIdentity, chunk: Chunk) -> ChunkResult:
    cases = sum(len(batch.series.texts) for batch in chunk.batches if batch.series)
    time.sleep(cases * _CASE_S)
    return ChunkResult(Fate.DONE, get_worker().address)


def _described(_name: str, _key: str, _identity: SuiteIdentity) -> Ready:
    return Ready(DriverFacts("stub"), ())


def _simulated() -> None:
    series = Series(tuple("x" for _ in range(_PER_BATCH)), 0)
    batches = [Batch("RandomModels/Bounds", series=series) for _ in range(_BATCHES)]
    replaced: dict[str, Callable[..., object]] = {"run_chunk": _waiting, "describe": _described}
    for name, stub in replaced.items():
        setattr(cluster_run, name, stub)
    with (
        LocalCluster(n_workers=1, threads_per_worker=_WORKERS, processes=False, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        begin = time.perf_counter()
        assignment = Assignment(Target("stub"), Selection())
        for _ in OnCluster(Fleet(client)).run(batches, assignment):
            pass
        wall = time.perf_counter() - begin
    busy = _BATCHES * _PER_BATCH * _CASE_S / (_WORKERS * wall)
    print(
        f"{_BATCHES * _PER_BATCH} cases of {_CASE_S * 1e3:.0f} ms on {_WORKERS} workers: {wall:.1f} s, {busy:.0%} busy"
    )


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="GeneratedTest/sync/*")
    options.add_argument("--pairs", type=int, default=3)
    chosen = options.parse_args()
    _simulated()
    _paired(chosen.only, chosen.pairs)


if __name__ == "__main__":
    main()
