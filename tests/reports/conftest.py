"""Logs made by hand that the tests of reports share."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import OperandType, OperationType
from nnvet.reports.events import DriverFacts, Limit, Machine, Measurement, Performance, RunStarted, Verdict
from nnvet.reports.figures import summarise
from nnvet.reports.log import EventLog
from tests.reports.chromium import Sight, sight

INJECTION = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)> & \"quoted\" 'too'"
"""Answer of a driver that tries to break a page."""

MODEL = [
    "%2 internal TENSOR_FLOAT32[2] = ADD(%0 input TENSOR_FLOAT32[2], %1 constant TENSOR_FLOAT32[2] = [1, 2])",
    "%3 output TENSOR_FLOAT32[2] = MUL(%2 internal TENSOR_FLOAT32[2], %0 input TENSOR_FLOAT32[2])",
]
"""Evidence of a failure: the model, a line for each operation."""


@pytest.fixture(scope="session")
def reader() -> Iterator[Sight]:
    """One browser for all tests that look at pages."""
    with sight() as seen:
        yield seen


@pytest.fixture
def started() -> RunStarted:
    """Header with every field set, some with characters that need care."""
    return RunStarted(
        suite_version="0.1.0",
        driver=DriverFacts(
            selector="exec:./treiber --größe=<1>",
            name="acme <b>npu</b>",
            version="2.4.1",
            type="ACCELERATOR",
            feature_level=7,
            extensions=("com.acme.attention",),
            capabilities={"TENSOR_FLOAT32": Performance(0.25, math.inf)},
        ),
        time="2025-11-21T09:41:07Z",
        machine=Machine("Modell 9 <fast>", 2, 8 << 30, "Linux 6.1", "3.11.7", "2.4.6"),
        level=7,
        seed=42,
        selection=("vts/*",),
        planned=11,
    )


def log_every_verdict(log: EventLog) -> None:
    """Eleven cases: three PASS, two FAIL of one rule, and one of each other verdict."""
    conv = {"operations": [OperationType.CONV_2D], "suite": "spec", "level": 4, "check": "burst"}
    float32, quant8 = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM
    for case in ("spec/conv/1", "spec/conv/2", "vts/model/größe", *(f"spec/conv/f{index}" for index in (1, 2))):
        log.case_started(case)
    log.case_finished("spec/conv/1", Verdict.PASS, duration_s=0.5, labels=conv | {"operand_types": [float32]})
    log.case_finished("spec/conv/2", Verdict.PASS, duration_s=0.25, labels=conv | {"operand_types": [quant8]})
    log.case_finished("vts/model/größe", Verdict.PASS, labels={"suite": "vts"})
    for case in ("spec/conv/f1", "spec/conv/f2"):
        worst = {
            "output": 0,
            "index": [0, 3],
            "expected": np.float32(1.5),
            "actual": float("nan"),
            "tolerance": 1e-5,
            "tolerance_source": "fp32 atol",
        }
        log.case_finished(
            case,
            Verdict.FAIL,
            rule="CONV_2D/output.value",
            reason=INJECTION,
            evidence={"sentence": "Outputs equal the reference.", "worst": worst, "replay": f"nnvet replay {case}"},
            labels=conv | {"operand_types": [float32]},
        )
    _log_the_others(log)


def _log_the_others(log: EventLog) -> None:
    others: dict[Verdict, tuple[dict[str, Any], dict[str, Any]]] = {
        Verdict.CRASH: ({"signal": "SIGSEGV", "exit_code": -11, "stderr_tail": "last \x1b[31mwords\x00 \udc80"}, {}),
        Verdict.HANG: ({}, {"operations": ["ADD", "MUL"], "operand_types": ["TENSOR_FLOAT32"]}),
        Verdict.ERROR: ({"worst": "not a table"}, {}),
        Verdict.UNSUPPORTED: ({}, {"operations": "ADD", "operand_types": "TENSOR_FLOAT32"}),
        Verdict.WAIVED: ({"waiver": "waivers.toml#3"}, {}),
    }
    for verdict, (evidence, labels) in others.items():
        case = f"other/{verdict.lower()}"
        log.case_started(case)
        log.case_finished(case, verdict, reason=f"because of {verdict}", evidence=evidence, labels=labels)
    log.case_finished("other/not_run", Verdict.NOT_RUN, reason="the time was up")


def log_measurements(log: EventLog) -> None:
    """A baseline and a driver that is twice as slow and misses a limit, and a model that does not compile."""
    limits = {"top_1": Limit(at_least=0.5), "top_5": Limit(at_least=0.25)}
    slow = summarise([0.004, 0.008])
    log.measurement(Measurement("mobilenet_v1", "LiteRT", summarise([0.002, 0.004]), accuracy={"top_1": 0.625}))
    log.measurement(
        Measurement(
            "mobilenet_v1",
            "nnvet:reference",
            slow,
            {"compile_without_cache": slow, "prepare_from_cache": summarise([0.003])},
            2048,
            100,
            accuracy={"top_1": 0.375, "top_5": math.nan},
            limits=limits,
            validation_errors=("top 1 is <low>",),
        )
    )
    log.measurement(Measurement("asr_float", "nnvet:reference", error="prepareModel failed"))


@pytest.fixture
def full_log(tmp_path: Path, started: RunStarted) -> Path:
    """A finished log with all verdicts and measurements."""
    path = tmp_path / "run.jsonl"
    with EventLog.create(path, started) as log:
        log_every_verdict(log)
        log_measurements(log)
        log.finish(1, problems=("waivers.toml#7 has expired",))
    return path


@pytest.fixture
def make_log(tmp_path: Path, started: RunStarted) -> Callable[..., Path]:
    """Writer of small logs from ``{case: verdict}``; ``exit_code=None`` leaves the footer out."""

    def make(verdicts: dict[str, Verdict], *, exit_code: int | None = 0, name: str = "run.jsonl") -> Path:
        path = tmp_path / name
        with EventLog.create(path, RunStarted(started.suite_version, started.driver, started.time)) as log:
            for case, verdict in verdicts.items():
                log.case_started(case)
                log.case_finished(case, verdict)
            if exit_code is not None:
                log.finish(exit_code)
        return path

    return make
