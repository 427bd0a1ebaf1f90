"""LoadGen on stubs of set latency: throughput and rates by arithmetic, its logs, and what becomes of failures.

Stubs have a clock of their own: an execution ends a set time after the one before, or after its own begin if that is
later. So a late awakening delays one answer, and never the executions after it, and the throughput is known.
"""

from __future__ import annotations

import _thread
import json
import threading
import time
from collections.abc import Callable
from math import exp, factorial
from pathlib import Path

import numpy as np
import pytest

from nnvet.formats.errors import DataError, MissingExtraError
from nnvet.models import loadgen
from nnvet.models.contenders import ContenderError
from nnvet.models.loadgen import LoadSettings, Scenario, read_responses, read_result, run_load
from nnvet.models.scenarios import highest_rate
from nnvet.reports.conditions import Probe
from nnvet.reports.events import Verdict

needs_loadgen = pytest.mark.skipif(
    loadgen.mlperf_loadgen is None, reason="mlcommons-loadgen (extra loadgen) is not installed"
)
SET_S = 0.002
LANES = 16
"""So many lanes, that awakenings may be 30 ms late before the stub has nothing to do."""


class SetLatency:
    """A device that takes a set time for each execution, and does them one after the other."""

    def __init__(self, seconds: float = SET_S) -> None:
        """Begin idle."""
        self._lock = threading.Lock()
        self._seconds = seconds
        self._free_s = 0.0

    def __call__(self, index: int) -> bytes:
        """Return when the execution is due."""
        with self._lock:
            self._free_s = max(time.monotonic(), self._free_s) + self._seconds
            due_s = self._free_s
        while (left_s := due_s - time.monotonic()) > 0:
            time.sleep(left_s)
        return b"%d" % index


def settings(scenario: Scenario, least_s: float = 1.0, rate: float = 1 / SET_S, bound_s: float = 0.5) -> LoadSettings:
    """Settings of a short run."""
    return LoadSettings(scenario, least_s, 60.0, loadgen.LEAST_QUERIES[scenario], rate, bound_s)


@needs_loadgen
def test_server_and_offline_agree(tmp_path: Path) -> None:
    """One execution each 2 ms is 500 a second, whatever the pattern, if the bound leaves 200 executions to wait for."""
    works = [SetLatency()] * LANES
    offline = run_load(works, 64, settings(Scenario.OFFLINE), tmp_path / "offline")
    assert offline.is_valid
    assert offline.qps == pytest.approx(1 / SET_S, rel=0.05)

    def probe(rate: float) -> Probe:
        done = run_load(works, 64, settings(Scenario.SERVER, 2.0, rate), tmp_path / f"{rate:.0f}")
        return Probe(rate, done.qps, done.latency_s, done.is_valid and done.qps >= 0.95 * done.scheduled_qps)

    probes: list[Probe] = []

    def noted(rate: float) -> Probe:
        probes.append(probe(rate))
        return probes[-1]

    best = highest_rate(noted, 1.1 * offline.qps)
    server = max(found.completed_qps for found in probes if found.holds)
    assert best is not None
    assert server == pytest.approx(offline.qps, rel=0.05)


def queue_of(seconds: float, bound_s: float, queries: int = 50_000) -> Callable[[float], Probe]:
    """A server of set latency by arithmetic alone: Poisson arrivals, a queue, and the 99th percentile.

    Lindley's recursion: an execution begins at its arrival, or when the one before has ended.
    """
    gaps = np.random.default_rng(7).exponential(1.0, queries)

    def probe(rate: float) -> Probe:
        arrivals = np.cumsum(gaps) / rate
        place = np.arange(queries)
        ends = np.maximum.accumulate(arrivals - place * seconds) + (place + 1) * seconds
        latency = float(np.percentile(ends - arrivals, 99))
        completed = queries / float(ends[-1])
        scheduled = queries / float(arrivals[-1])
        return Probe(rate, completed, latency, latency <= bound_s and completed >= 0.95 * scheduled)

    return probe


@pytest.mark.parametrize("seconds", [1e-5, 0.002, 0.3])
def test_the_highest_rate_by_arithmetic(seconds: float) -> None:
    """With a generous bound it is what the device can do; of a bound of three executions less is left."""
    generous = highest_rate(queue_of(seconds, 100 * seconds), 1.1 / seconds)
    tight = highest_rate(queue_of(seconds, 3 * seconds), 1.1 / seconds)
    assert generous == pytest.approx(1 / seconds, rel=0.05)
    assert tight is not None
    assert tight * seconds == pytest.approx(_load_of_bound(3.0, 0.99), rel=0.05)


def _load_of_bound(bound: float, share: float) -> float:
    """The load at which so many queries take at most ``bound`` executions, waiting included, in the queue M/D/1.

    Erlang: of arrivals at the load r, (1 - r) * sum((r * (k - t)) ** k / k! * exp(r * (t - k)) for k <= t) wait t
    executions at most (Kleinrock, Queueing Systems I; Crommelin 1932).
    """
    wait = bound - 1

    def waits_at_most(load: float) -> float:
        terms = ((load * (k - wait)) ** k / factorial(k) * exp(load * (wait - k)) for k in range(int(wait) + 1))
        return (1 - load) * sum(terms)

    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if waits_at_most(middle) >= share else (low, middle)
    return low


def test_a_bound_that_nothing_keeps() -> None:
    """An execution that alone takes longer than the bound holds at no rate."""
    assert highest_rate(queue_of(0.01, 0.009), 110.0) is None


@needs_loadgen
@pytest.mark.parametrize(("scenario", "samples"), [(Scenario.SINGLE_STREAM, 1), (Scenario.MULTI_STREAM, 8)])
def test_streams_take_as_long_as_their_executions(tmp_path: Path, scenario: Scenario, samples: int) -> None:
    """No query is faster than its one or eight executions; LoadGen's early stopping gives an estimate."""
    done = run_load([SetLatency(SET_S / 4)] * LANES, 64, settings(scenario, 0.2, 4 / SET_S), tmp_path)
    assert done.is_valid
    assert done.queries >= loadgen.LEAST_QUERIES[scenario]
    assert done.percentiles_s["50"] >= samples * SET_S / 4
    assert done.latency_s >= done.percentiles_s["50"]
    assert "Early stopping" in done.early_stopping
    assert done.qps <= 4 / SET_S


@needs_loadgen
def test_too_few_queries_are_not_valid(tmp_path: Path) -> None:
    """LoadGen says why: 100 queries are too few for the 99th percentile, and it names the number that is enough."""
    asked = LoadSettings(Scenario.SERVER, 0.1, 60.0, 100, 400.0, 0.5)
    done = run_load([SetLatency()] * LANES, 64, asked, tmp_path)
    assert not done.is_valid
    assert done.is_fast_enough
    assert done.reasons == ("too few queries for a percentile with confidence (early stopping)",)
    assert "more queries" in done.early_stopping


@needs_loadgen
def test_the_accuracy_log_has_every_response_once(tmp_path: Path) -> None:
    """LoadGen writes the bytes of each of the 40 samples, whatever lane has run it."""
    asked = LoadSettings(Scenario.OFFLINE, 0.0, 0.0, 1, 100.0, is_accuracy=True)
    loaded: list[int] = []
    run_load([SetLatency(0.0)] * 4, 40, asked, tmp_path, loaded.extend)
    assert read_responses(tmp_path) == {index: b"%d" % index for index in range(40)}
    assert sorted(loaded) == list(range(40))
    assert (tmp_path / "mlperf_log_summary.txt").is_file()


@needs_loadgen
def test_a_failure_is_raised_after_the_run(tmp_path: Path) -> None:
    """The first error of a lane comes out, and the process lives on."""
    calls: list[int] = []

    def failing(index: int) -> bytes:
        calls.append(index)
        if len(calls) == 20:
            raise ContenderError(Verdict.CRASH, "it died")
        return b""

    with pytest.raises(ContenderError, match="it died"):
        run_load([failing], 8, settings(Scenario.SINGLE_STREAM, 0.1), tmp_path)
    assert len(calls) == 20


@needs_loadgen
def test_an_interruption_is_raised_after_the_run(tmp_path: Path) -> None:
    """Ctrl-C reaches the main thread while LoadGen runs; the queries that are left are answered at once."""
    calls = 0

    def interrupting(_: int) -> bytes:
        nonlocal calls
        calls += 1
        if calls == 3:
            _thread.interrupt_main()
            time.sleep(0.5)
        return b""

    with pytest.raises(KeyboardInterrupt):
        run_load([interrupting], 8, settings(Scenario.SINGLE_STREAM, 0.3), tmp_path)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Before anything is written."""
    monkeypatch.setattr(loadgen, "mlperf_loadgen", None)
    with pytest.raises(MissingExtraError, match=r"mlcommons-loadgen.*nnvet\[loadgen\]"):
        run_load([], 1, settings(Scenario.OFFLINE), tmp_path / "logs")
    assert not (tmp_path / "logs").exists()


@pytest.mark.parametrize("text", ["", ":::MLLOG {", ':::MLLOG {"value": 1}\n', None])
def test_damaged_logs_are_named(tmp_path: Path, text: str | None) -> None:
    """A line that is cut off, one without key, and no file; a file without any line is an invalid run."""
    path = tmp_path / "mlperf_log_detail.txt"
    if text is not None:
        path.write_text(text, "utf-8")
    if text == "":
        assert not read_result(tmp_path, Scenario.SERVER).is_valid
        return
    with pytest.raises(DataError, match="mlperf_log_detail"):
        read_result(tmp_path, Scenario.SERVER)


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("[", "damaged"),
        ([{"qsl_idx": 0, "data": "0g"}], "damaged"),
        ([{"qsl_idx": 1, "data": "00"}] * 2, "2 responses"),
    ],
)
def test_damaged_accuracy_logs_are_named(tmp_path: Path, entries: object, said: str) -> None:
    """A log that is cut off, has no hexadecimal digits, or a sample twice."""
    text = entries if isinstance(entries, str) else json.dumps(entries)
    (tmp_path / "mlperf_log_accuracy.json").write_text(text, "utf-8")
    with pytest.raises(DataError, match=said):
        read_responses(tmp_path)
