"""Equal faults have one fingerprint, different ones have different fingerprints."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nnvet.reports.events import CaseFinished, RunStarted, Verdict
from nnvet.reports.fingerprint import fingerprint, fold, key_of, most_telling
from nnvet.reports.log import EventLog, read_log


def wrong_value(index: int, **changes: Any) -> CaseFinished:
    """One of many failures of a kind: everything that differs from case to case depends on ``index``."""
    source = np.random.default_rng(index)
    worst = {
        "output": index % 3,
        "index": [source.integers(9) for _ in range(1 + index % 4)],
        "expected": source.random() if index % 2 else source.integers(256),
        "actual": float("nan") if index % 5 == 0 else source.random(),
        "tolerance_source": f"source {index}",
    }
    fields: dict[str, Any] = {
        "case": f"GeneratedTest/sync/model_{index}",
        "verdict": Verdict.FAIL,
        "rule": "execution/output.value",
        "reason": f"output {index}: element {index * 7} is wrong at 0x{index:08x}",
        "evidence": {"worst": worst, "wrong_elements": index, "status": "NONE", "replay": f"nnvet replay {index}"},
        "duration_s": index / 1000,
        "labels": {"operations": ["ADD"], "suite": f"suite {index % 2}"},
    }
    return CaseFinished(**(fields | changes))


def test_a_thousand_failures_of_one_kind_are_one() -> None:
    """Neither indices, values, addresses nor case ids are in a fingerprint."""
    (only,) = fold(wrong_value(index) for index in range(1000))
    assert (only.count, only.example.case) == (1000, "GeneratedTest/sync/model_0")
    assert len(only.fingerprint) == 12


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": Verdict.CRASH},
        {"rule": "execution/status"},
        {"labels": {"operations": ["MUL"]}},
        {"evidence": {"status": "GENERAL_FAILURE"}},
        {"evidence": {}},
    ],
    ids=["verdict", "rule", "operation", "status", "shape of the evidence"],
)
def test_different_faults_are_apart(changes: dict[str, Any]) -> None:
    """Each part of what a fault is tells faults apart."""
    assert fingerprint(wrong_value(1, **changes)) != fingerprint(wrong_value(1))


def test_a_different_driver_rule_is_a_different_fault() -> None:
    """Names of the driver's own are part of the fault."""
    prints = {fingerprint(wrong_value(1, evidence={"driver_rule": rule})) for rule in ("a", "b")}
    assert len(prints) == 2


@pytest.mark.parametrize(
    ("first", "second", "are_equal"),
    [
        ("IndexError: 3 of 4 (a.py:17)", "IndexError: 12 of 7 (a.py:19)", True),
        ("shape [1, 2, 3] at 0x7f00", "shape [1] at 0xbeef", True),
        ("process 4711 said -1.5e-3", "process 12 said nan", True),
        ("case c/1 failed", "case c/2 failed", True),
        ("KeyError: 'a'", "ValueError: 'a'", False),
    ],
)
def test_a_fault_without_rule_is_known_by_its_words(first: str, second: str, *, are_equal: bool) -> None:
    """Numbers and the case's own id in a reason tell nothing apart, words do."""
    prints = [
        fingerprint(CaseFinished(f"c/{index}", Verdict.ERROR, reason=reason, labels={"operations": [f"OP{index}"]}))
        for index, reason in ((1, first), (2, second))
    ]
    assert (prints[0] == prints[1]) is are_equal


def test_the_log_holds_the_fingerprint(tmp_path: Path, started: RunStarted) -> None:
    """A result that is no PASS is logged with the fingerprint that its line has when it is read; a PASS has none."""
    odd: dict[str, Any] = {"worst": {"actual": float("inf")}, "text": "\udc80", "3": b"\x00"}
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for verdict in (Verdict.PASS, Verdict.FAIL, Verdict.UNSUPPORTED):
            log.case_started(verdict)
            log.case_finished(verdict, verdict, evidence=odd)
    results = read_log(log.path).results
    assert results["PASS"].fingerprint == ""
    for case in ("FAIL", "UNSUPPORTED"):
        assert results[case].fingerprint == key_of(results[case]) == fingerprint(results[case]) != ""


def test_coupling_is_one_fault_of_all_operations() -> None:
    """A driver without signed codes has one finding, and what to do about it is no part of what it is."""
    prints = {
        fingerprint(wrong_value(1, rule="prepare/coupling", labels={"operations": [name]}, evidence={"advice": name}))
        for name in ("ADD", "MUL")
    }
    assert len(prints) == 1


def test_the_most_frequent_description_stands_for_a_fault() -> None:
    """Sums in float16 overflow in a few cases, which come first; most of the others show the cause."""
    looks = ["every wrong element is NaN", "", "errors as large as float16", "every wrong element is NaN"]
    looks += ["errors as large as float16"] * 2
    results = [wrong_value(index, evidence={"looks_like": look}) for index, look in enumerate(looks)]
    assert [result.case[-1] for result in most_telling(results)] == ["2", "4", "5", "0", "3", "1"]
    (only,) = fold([*results, wrong_value(9, evidence={"looks_like": "all elements are as if beta were 1, not 2"})])
    assert only.example.case == "GeneratedTest/sync/model_9"
