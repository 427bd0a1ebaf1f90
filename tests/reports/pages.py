"""Every kind of page that nnvet writes, with all their sections, for the tests that look at them in a browser."""

from pathlib import Path
from typing import Final

import numpy as np

from nnvet.adapters.split.placement import (
    AvoidableBorders,
    PlacedBorder,
    PlacedOperation,
    PlacedStep,
    Placement,
    TriedAssignment,
)
from nnvet.commands.actions.locate_page import FailingPart, located_page
from nnvet.commands.actions.partition import placement_page
from nnvet.conformance.engine.locating import Located, NetworkLayer
from nnvet.graphs.model import TestModel, TestSubgraph
from nnvet.reports.diff import judge_upgrade
from nnvet.reports.events import (
    Command,
    Comparison,
    DriverFacts,
    FuzzingFinished,
    Limit,
    Machine,
    Measurement,
    RunStarted,
    SpeedRatio,
    Verdict,
)
from nnvet.reports.evidence import SAMPLE_FIELDS, STRESS_LABEL
from nnvet.reports.figures import summarise
from nnvet.reports.history import History, facts_of
from nnvet.reports.html.diff import write_changes
from nnvet.reports.html.history import write_history
from nnvet.reports.html.scoreboard import write_matrix
from nnvet.reports.log import EventLog, Log, read_log
from nnvet.reports.releases import Column, FindingRow, ReleaseMatrix, ReleaseResult, Showing
from nnvet.reports.render import render, renew_page, write_scoreboard
from tests.reports.conftest import MODEL, log_every_verdict, log_measurements
from tests.reports.test_accuracy import ADD, ROWS, SPACE
from tests.reports.test_small_graphs import SMALL

FAMILIES: Final = ("Network A float32", "Network A uint8", "Network B int8", "Speech recognition")
PACES: Final = {"LiteRT": 1.0, "nnvet:fast": 0.6, "nnvet:slow": 3.0}
TIMELINE: Final = [
    [second, role, 50.0 + second, 1 << 20, 9, 3, 1] for second in range(4) for role in ("driver", "test")
]

DRIVERS: Final = ["reference:minimal", "unix:/run/a/rather/long/path/of/a/service.sock"]
PLACEMENT: Final = Placement(
    "a_network_with_a_long_name_224_quantized.tflite",
    DRIVERS,
    10,
    [
        PlacedOperation(
            number,
            "BIDIRECTIONAL_SEQUENCE_LSTM",
            "TENSOR_QUANT8_ASYMM_SIGNED",
            number % 2,
            number,
            {1 - number % 2: "the kernel takes no tensor of rank five whose last dimension is unknown"},
        )
        for number in range(9)
    ],
    [PlacedStep(number, number % 2, [number], 1 << 20, 1 << 22, 1.25, None) for number in range(9)],
    [PlacedBorder(number, number, number + 1, (1, 2), None) for number in range(8)],
    11.25,
    [None, 3.5],
    changes=[AvoidableBorders(0, "BIDIRECTIONAL_SEQUENCE_LSTM", "TENSOR_QUANT8_ASYMM_SIGNED", list(range(1, 9, 2)), 8)],
    assignments=[TriedAssignment(f"all on {DRIVERS[1]}", [1] * 9, 1, 3.5), TriedAssignment("first", [0, 1], 9, None)],
)
LOCATED: Final = Located(
    tuple(
        NetworkLayer(
            number,
            "BIDIRECTIONAL_SEQUENCE_LSTM",
            "TENSOR_QUANT8_ASYMM_SIGNED",
            None if number % 7 == 0 else number / 9,
            10.0 ** (number % 9 - 9),
            1e-7,
            "16 of 512 elements differ; " + "every wrong element is too large; " * 4 if number in {9, 30} else "",
            amplifies=number == 20,
            milliseconds=number / 3,
        )
        for number in range(150)
    ),
    {0: "wrong"},
    differs=False,
    test=TestModel("net", TestSubgraph((), (), (), ())),
    values={},
)
PART: Final = FailingPart(
    2, f"nnvet replay /a/folder/of/a/long/name/part -d {DRIVERS[0]} --timeout 60", has_tflite=True
)
RELEASES: Final = ReleaseMatrix(
    "litert",
    "ai-edge-litert",
    "2025-11-21",
    "Model 9",
    [FindingRow(f"litert/a-finding-{number}", "a title", "reported", "wrong") for number in range(8)],
    [
        Column(f"2.{minor}.0", cells={f"litert/a-finding-{minor}": ReleaseResult(showing, "expected 2 actual 3")})
        for minor, showing in enumerate(Showing)
    ],
)


def write_pages(folder: Path, started: RunStarted) -> dict[str, Path]:
    """Paths of pages by name; bench is of one driver, many of 40 models on three."""
    before, after = (_run(folder / f"{day}", day, started) for day in (20, 21))
    past = History(folder / "history.jsonl", (facts_of(before), facts_of(after)))
    render(after, folder / "21")
    renew_page(after, folder / "21", past)
    write_changes(before, after, folder / "diff.html")
    write_changes(before, after, folder / "upgrade.html", judge_upgrade(before, after))
    (folder / "partition.html").write_text(placement_page(PLACEMENT), encoding="utf-8")
    (folder / "locate.html").write_text(located_page(LOCATED, "network.tflite", DRIVERS[0], PART), encoding="utf-8")
    others = [_bench(folder / name, 12, (name,)) for name in ("fast", "slow")]
    many = _bench(folder / "many", 40, ("fast", "slow"))
    return {
        "report": folder / "21" / "report.html",
        "history": write_history(past, folder),
        "diff": folder / "diff.html",
        "scoreboard": write_scoreboard([after, *others], folder / "board"),
        "bench": render(others[0], folder / "fast").html,
        "many": render(many, folder / "many").html,
        "upgrade": folder / "upgrade.html",
        "partition": folder / "partition.html",
        "locate": folder / "locate.html",
        "releases": write_matrix(RELEASES, folder / "releases"),
    }


def _run(folder: Path, day: int, started: RunStarted) -> Log:
    """A run with everything: verdicts, random models, what was made small, fuzzing, stress and measurements."""
    folder.mkdir()
    with EventLog.create(folder / "run.jsonl", replace_time(started, day)) as log:
        log.model_space(SPACE)
        log_every_verdict(log)
        _log_random(log)
        log.reduction(SMALL)
        log.fuzzing(FuzzingFinished("messages", 10_000, 60.0, 40, 1, ((0.0, 10), (5.0, 90), (50.0, 120))))
        for test, verdict in (("calm", Verdict.PASS), ("storm", Verdict.CRASH)):
            _log_stress(log, test, verdict)
        log_measurements(log)
        if day > 20:
            log.case_started("later/one")
            log.case_finished(
                "later/one",
                Verdict.FAIL,
                rule="MUL/output.value",
                evidence={"graph": MODEL, "again": "PASS"},
                labels={"operations": "MUL", "source": "conformance/specs/V1_0/mul.mod.py:7"},
            )
        log.finish(1)
    return read_log(log.path)


def replace_time(started: RunStarted, day: int) -> RunStarted:
    """The same header on a day of November."""
    return RunStarted(started.suite_version, started.driver, f"2025-11-{day}T06:00:00Z", started.machine, seed=1)


def _log_random(log: EventLog) -> None:
    evidence = {"elements": 90, "undecided": 9, "accuracy": {"ADD": 0.24, "SOFTMAX": 1.0}, "covers": [ADD, ROWS]}
    log.case_started("random/1")
    log.case_finished(
        "random/1", Verdict.PASS, evidence=evidence, labels={"suite": "random"}, duration_s=2.0, process=1, began=0.0
    )


def _log_stress(log: EventLog, test: str, verdict: Verdict) -> None:
    timings = {
        "phases": [["rise", 0], ["hold", 2]],
        "done": 900,
        "refused": {"BUSY": 3},
        "latency_ms": {"p50": 1.5, "p90": 2.5, "p99": 9.0, "p100": 30.0},
        "clients": 4,
        "growth": {"driver": {"memory_bytes": 2048, "threads": [1, 2]}, "cycles": 1500},
        "timeline": {"fields": list(SAMPLE_FIELDS), "rows": TIMELINE},
    }
    log.case_started(f"stress/{test}")
    evidence = {"timings": timings, "stderr_tail": "the last words"}
    labels = {STRESS_LABEL: verdict.value, "check": test, "suite": "stress"}
    log.case_finished(f"stress/{test}", verdict, evidence=evidence, labels=labels, duration_s=3.5, process=2, began=0.0)


def _bench(folder: Path, models: int, drivers: tuple[str, ...]) -> Log:
    """Models of four families on LiteRT and drivers: one is worse than allowed, one does not run, one is a toy."""
    folder.mkdir()
    random = np.random.default_rng(16)
    facts = DriverFacts(drivers[0], drivers[0], "1.0", "CPU", 8)
    started = RunStarted("0.1.0", facts, "2025-11-21T07:00:00Z", Machine(), command=Command.BENCHMARK)
    with EventLog.create(folder / "run.jsonl", started) as log:
        for number in range(models):
            family = FAMILIES[number * len(FAMILIES) // models]
            name = f"{family.lower().replace(' ', '_')}_{96 + 32 * number}"
            base_s = 2e-4 * 1.25**number
            for backend, factor in PACES.items():
                if backend in ("LiteRT", *(f"nnvet:{driver}" for driver in drivers)):
                    latencies = base_s * factor * (1 + random.gamma(1.2, 0.05, 200))
                    log.measurement(_measured(name, backend, family, latencies, number))
            log.case_started(f"bench/{name}")
            log.case_finished(f"bench/{name}", Verdict.FAIL if number in (3, 5) else Verdict.PASS)
        log.finish(1)
    return read_log(log.path)


def _measured(name: str, backend: str, family: str, latencies: np.ndarray, number: int) -> Measurement:
    if backend == "LiteRT":
        return Measurement(name, backend, summarise(latencies), accuracy={"top_1": 0.7}, family=family, toy=number == 0)
    if number == 4 and backend == "nnvet:slow":
        return Measurement(name, backend, error="the driver does not take LSTM", family=family, unsupported=True)
    if number == 3:
        return Measurement(name, backend, error="prepareModel answered GENERAL_FAILURE", family=family)
    lost = 0.03 if number == 5 else 0.002
    top_1 = Comparison("top_1", 0.7 - lost, 0.7, -lost, -lost - 0.005, -lost + 0.005, 0.3, -0.01, 1000)
    noise = Comparison("output_noise_db", -38.0, -40.0, 2.0, 1.0, 3.0, None, 6.0, 10)
    return Measurement(
        name,
        backend,
        summarise(latencies),
        {"compile_without_cache": summarise(latencies * 5), "prepare_from_cache": summarise(latencies * 2)},
        1 << 20,
        1000,
        accuracy={"top_1": 0.7 - lost},
        limits={"top_1": Limit(at_least=0.6)},
        comparisons=(top_1, noise),
        first_inference_s=float(latencies[0]) * 4,
        harness_overhead_s=2e-5,
        latency_ratio=SpeedRatio(PACES[backend], PACES[backend] * 0.98, PACES[backend] * 1.03, 100),
        energy_j=0.0125,
        family=family,
        toy=number == 0,
    )
