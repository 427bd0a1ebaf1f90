"""MLPerf's LoadGen (``mlcommons-loadgen``): issues queries in a load pattern, and judges the run by its own rules.

LoadGen calls back for each query from a thread of its own. Several lanes, each a thread with an execution of its own,
answer, so that several executions are in flight. An exception inside a callback would abort the process when it ends.
So lanes keep the first one, answer all other queries at once, and :func:`run_load` raises it afterwards.
"""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

import msgspec

from nnvet.formats.errors import DataError, MissingExtraError

try:
    import mlperf_loadgen
except ImportError:  # pragma: no cover - depends on what is installed
    mlperf_loadgen = None

_MS: Final = 1e3
_NS: Final = 1e9
_SPARE: Final = 2.0
"""Queries that are drawn for a stream, relative to those that the expected latency allows."""
_LINE: Final = ":::MLLOG "
"""Beginning of each line of LoadGen's detailed log."""
_PAUSE_S: Final = 0.01
"""Pause of a lane after a failure, so that LoadGen does not fill the memory with queries that are answered at once."""


class Scenario(StrEnum):
    """Load patterns of MLPerf Inference."""

    SINGLE_STREAM = "single-stream"
    MULTI_STREAM = "multi-stream"
    SERVER = "server"
    OFFLINE = "offline"

    @property
    def loadgen_name(self) -> str:
        """Return the name of LoadGen's enumerator."""
        return self.value.title().replace("-", "")


LEAST_QUERIES: Final = {
    Scenario.SINGLE_STREAM: 64,
    Scenario.MULTI_STREAM: 662,
    Scenario.SERVER: 662,
    Scenario.OFFLINE: 1,
}
"""Queries from which LoadGen's early stopping can succeed: the 90th percentile needs 64, the 99th 662."""
PERCENTILES: Final = {
    Scenario.SINGLE_STREAM: 90.0,
    Scenario.MULTI_STREAM: 99.0,
    Scenario.SERVER: 99.0,
    Scenario.OFFLINE: 99.0,
}
"""Percentile of latency by which MLPerf judges a scenario; Offline is judged by its throughput."""
STREAMS: Final = 8
"""Samples in a query of MultiStream."""
SHOWN: Final = (50.0, 90.0, 95.0, 97.0, 99.0, 99.9)
"""Percentiles that LoadGen logs."""
_EARLY: Final = {
    Scenario.SINGLE_STREAM: "early_stopping_latency_ss",
    Scenario.MULTI_STREAM: "early_stopping_latency_ms",
}
_THROUGHPUT: Final = {
    Scenario.SINGLE_STREAM: "result_qps_with_loadgen_overhead",
    Scenario.SERVER: "result_completed_samples_per_sec",
    Scenario.OFFLINE: "result_samples_per_second",
}


def require_loadgen() -> None:
    """Check that LoadGen is installed.

    :raises MissingExtraError: it is not.
    """
    if mlperf_loadgen is None:
        raise MissingExtraError("mlcommons-loadgen", "loadgen", "--scenario")


@dataclass(frozen=True)
class LoadSettings:
    """A run of LoadGen. ``expected_qps`` plans Offline and is the rate of Server; ``longest_s`` cuts a run off."""

    scenario: Scenario
    least_s: float
    longest_s: float
    least_queries: int
    expected_qps: float = 1.0
    target_latency_s: float = 0.1
    is_accuracy: bool = False


@dataclass(frozen=True)
class LoadResult:
    """LoadGen's figures; ``reasons`` say why a run is not valid, ``version`` is LoadGen's."""

    is_valid: bool
    reasons: tuple[str, ...]
    is_fast_enough: bool
    early_stopping: str
    queries: int
    samples: int
    duration_s: float
    qps: float
    latency_s: float
    mean_s: float
    percentiles_s: dict[str, float]
    version: str
    scheduled_qps: float = 0.0


Work = Callable[[int], bytes]
"""Function of a lane: runs the sample with this index, and returns the response for the accuracy log."""


class _Lanes:
    """Threads that answer queries, each with a work function of its own."""

    def __init__(self, works: Sequence[Work], *, keeps: bool) -> None:
        """Start a thread for each function; ``keeps`` passes the responses on to LoadGen."""
        self.error: BaseException | None = None
        self._keeps = keeps
        self._kept: list[array[int]] = []
        self._queue: SimpleQueue[tuple[int, int] | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._serve, args=(work,), daemon=True) for work in works]
        for thread in self._threads:
            thread.start()

    def issue(self, samples: Iterable[Any]) -> None:
        """Hand a query's samples to the lanes; LoadGen calls this."""
        for sample in samples:
            self._queue.put((sample.id, sample.index))

    def end(self) -> None:
        """End the threads after the queries that wait."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self, work: Work) -> None:
        while (item := self._queue.get()) is not None:
            identifier, index = item
            response = b""
            if self.error is None:
                try:
                    response = work(index)
                except BaseException as error:  # noqa: BLE001 - raised by run_load, see the module's docstring
                    self.error = self.error or error
            elif self._queue.empty():
                time.sleep(_PAUSE_S)
            self._answer(identifier, response)

    def _answer(self, identifier: int, response: bytes) -> None:
        address = 0
        if self._keeps and response:
            # LoadGen reads the bytes by their address, and nothing says until when.
            self._kept.append(array("B", response))
            address = self._kept[-1].buffer_info()[0]
        made = mlperf_loadgen.QuerySampleResponse(identifier, address, len(response) if address else 0)
        mlperf_loadgen.QuerySamplesComplete([made])


def run_load(
    works: Sequence[Work],
    samples: int,
    settings: LoadSettings,
    folder: Path,
    load: Callable[[Sequence[int]], None] = lambda _: None,
) -> LoadResult:
    """Run LoadGen on ``samples`` samples into ``folder``; ``load`` makes inputs ready, untimed.

    :raises MissingExtraError: LoadGen is not installed.
    :raises DataError: its logs cannot be read.
    """
    require_loadgen()
    folder.mkdir(parents=True, exist_ok=True)
    lanes = _Lanes(works, keeps=settings.is_accuracy)

    def load_guarded(indexes: Sequence[int]) -> None:
        try:
            load(indexes)
        except BaseException as error:  # noqa: BLE001 - raised below, see the module's docstring
            lanes.error = lanes.error or error

    sut = mlperf_loadgen.ConstructSUT(lanes.issue, lambda: None)
    library = mlperf_loadgen.ConstructQSL(samples, samples, load_guarded, lambda _: None)
    try:
        _start(sut, library, settings, folder, lanes)
    finally:
        lanes.end()
        mlperf_loadgen.DestroyQSL(library)
        mlperf_loadgen.DestroySUT(sut)
    if lanes.error is not None:
        raise lanes.error
    return read_result(folder, settings.scenario)


def _start(sut: object, library: object, settings: LoadSettings, folder: Path, lanes: _Lanes) -> None:
    """Run the test in a thread of its own, since an interruption can reach only a main thread that runs Python."""
    output = mlperf_loadgen.LogOutputSettings()
    output.outdir, output.copy_summary_to_stdout = str(folder), False
    logs = mlperf_loadgen.LogSettings()
    logs.log_output, logs.enable_trace = output, False
    asked = loadgen_settings(settings)
    is_over = threading.Event()

    def test() -> None:
        try:
            # LoadGen reads a file of settings from the current folder unless the name is empty.
            mlperf_loadgen.StartTestWithLogSettings(sut, library, asked, logs, "")
        finally:
            is_over.set()

    thread = threading.Thread(target=test, daemon=True)
    thread.start()
    # An interruption of Thread.join may mark a thread as ended that still runs: it is only used once the test is over.
    while not is_over.is_set():
        try:
            is_over.wait(0.1)
        except BaseException as error:  # noqa: BLE001 - LoadGen cannot be stopped, only answered; raised by run_load
            lanes.error = lanes.error or error
    thread.join()


def loadgen_settings(settings: LoadSettings) -> Any:
    """Return LoadGen's form of settings; seeds stay its own, which are 0."""
    asked = mlperf_loadgen.TestSettings()
    asked.scenario = getattr(mlperf_loadgen.TestScenario, settings.scenario.loadgen_name)
    modes = mlperf_loadgen.TestMode
    asked.mode = modes.AccuracyOnly if settings.is_accuracy else modes.PerformanceOnly
    asked.min_duration_ms = round(settings.least_s * _MS)
    asked.max_duration_ms = round(settings.longest_s * _MS)
    asked.min_query_count = settings.least_queries
    asked.multi_stream_samples_per_query = STREAMS
    asked.offline_expected_qps = settings.expected_qps
    asked.server_target_qps = settings.expected_qps
    asked.server_target_latency_ns = round(settings.target_latency_s * _NS)
    # These only plan how many queries are made in advance; more are made if they do not last.
    # LoadGen draws the queries of a stream before the run by this latency, and a run that uses them up ends too early.
    latency_ns = _NS / (_SPARE * settings.expected_qps)
    asked.single_stream_expected_latency_ns = max(1, round(latency_ns))
    asked.multi_stream_expected_latency_ns = max(1, round(STREAMS * latency_ns))
    return asked


def read_detail(folder: Path) -> dict[str, Any]:
    """Return the values of ``mlperf_log_detail.txt`` by key; of a key that occurs again the last.

    :raises DataError: there is no such file, or a line is damaged.
    """
    path = folder / "mlperf_log_detail.txt"
    found: dict[str, Any] = {}
    try:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(_LINE):
                entry = msgspec.json.decode(line.removeprefix(_LINE))
                found[entry["key"]] = entry["value"]
    except (OSError, msgspec.MsgspecError, KeyError, TypeError) as error:
        raise DataError(f"{path}: no log of LoadGen, or a damaged one: {error}") from error
    return found


def read_result(folder: Path, scenario: Scenario) -> LoadResult:
    """Return the figures of a performance run from LoadGen's detailed log; of an accuracy run only its version.

    :raises DataError: the log is damaged.
    """
    log = read_detail(folder)
    # A query of MultiStream has several samples, whose own latencies are logged, too.
    of_query = "_per_query" if scenario is Scenario.MULTI_STREAM else ""
    percentiles = {f"{p:g}": log.get(f"result_{p:.2f}_percentile{of_query}_latency_ns", 0) / _NS for p in SHOWN}
    mean_s = log.get("result_mean_query_latency_ns" if of_query else "result_mean_latency_ns", 0) / _NS
    early_s = log.get(_EARLY.get(scenario, ""), 0) / _NS
    queries = int(log.get("result_query_count", 0))
    samples = queries * int(log.get("generated_samples_per_query", 1))
    streamed = STREAMS / mean_s if mean_s else 0.0
    qps = float(log.get(_THROUGHPUT.get(scenario, ""), streamed))
    return LoadResult(
        is_valid=log.get("result_validity") == "VALID",
        reasons=tuple(text for key, text in _BROKEN.items() if log.get(key, True) is False),
        is_fast_enough=bool(log.get("result_perf_constraints_met", True)),
        early_stopping=" ".join(str(log.get("early_stopping_result", "")).replace("*", "").split()),
        queries=queries,
        samples=samples,
        duration_s=samples / qps if qps else 0.0,
        qps=qps,
        latency_s=early_s or percentiles[f"{PERCENTILES[scenario]:g}"],
        mean_s=mean_s,
        percentiles_s=percentiles,
        version=str(log.get("loadgen_version", "")),
        scheduled_qps=float(log.get("result_scheduled_samples_per_sec", 0.0)),
    )


_BROKEN: Final = {
    "result_perf_constraints_met": "too many queries took longer than the target latency",
    "result_min_duration_met": "the run was shorter than asked for",
    "result_min_queries_met": "there were fewer queries than asked for",
    "early_stopping_met": "too few queries for a percentile with confidence (early stopping)",
}


class _Response(msgspec.Struct):
    """An entry of the accuracy log."""

    qsl_idx: int
    data: str


def read_responses(folder: Path) -> dict[int, bytes]:
    """Return the responses of an accuracy run by the index of their sample.

    :raises DataError: the log is damaged, or has a sample twice.
    """
    path = folder / "mlperf_log_accuracy.json"
    try:
        entries = msgspec.json.decode(path.read_bytes(), type=list[_Response])
        found = {entry.qsl_idx: bytes.fromhex(entry.data) for entry in entries}
    except (OSError, msgspec.MsgspecError, ValueError) as error:
        raise DataError(f"{path}: no accuracy log of LoadGen, or a damaged one: {error}") from error
    if len(found) != len(entries):
        raise DataError(f"{path}: {len(entries)} responses for {len(found)} samples")
    return found
