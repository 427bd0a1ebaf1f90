"""Pages of large runs stay small: what did not fail becomes counts, what failed keeps its rows and evidence."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from nnvet.hal.enums import OperandType, OperationType
from nnvet.reports.events import CaseFinished, RunFinished, RunStarted, Verdict
from nnvet.reports.html.cases import FAILED_CASES, ROWS_SHOWN
from nnvet.reports.html.page import render_page
from nnvet.reports.junit import render_junit
from nnvet.reports.log import Log, read_log
from tests.reports.test_page import Page

CASES = 400_000
"""As many as a run of everything has."""
OPERATIONS = [operation.name for operation in OperationType if operation.value < 100]
TYPES = [kind.name for kind in OperandType if kind.name.startswith("TENSOR_")][:6]
CHECKS = [f"Check{index}" for index in range(12)]


def large_log(path: Path, started: RunStarted, count: int, verdict_of: Callable[[int], Verdict]) -> Log:
    """As of a run of every check on models of every operation and type; failures with 20,000 characters of evidence."""
    results = {}
    for index in range(count):
        operation, verdict = OPERATIONS[index % len(OPERATIONS)], verdict_of(index)
        kind, check = TYPES[index // 7 % len(TYPES)], CHECKS[index // 11 % len(CHECKS)]
        case = f"GeneratedTest/{check}/{operation.lower()}_variation_{index}_V1_{index % 4}:all_inputs_as_internal"
        failed = verdict is Verdict.FAIL
        reasons = {Verdict.UNSUPPORTED: f"the driver does not support {operation}", Verdict.FAIL: f"{index} differ"}
        results[case] = CaseFinished(
            case,
            verdict,
            rule=f"{operation}/output.value" if failed else "",
            reason=reasons.get(verdict, ""),
            evidence={"elements": index, "stderr_tail": "e" * 20_000} if failed else {"elements": index},
            duration_s=0.001,
            labels={"suite": "GeneratedTest", "check": check, "operations": [operation], "operand_types": [kind]},
        )
    counts = {verdict: sum(result.verdict is verdict for result in results.values()) for verdict in Verdict}
    return Log(path, started, results, (), (), RunFinished(counts, 1, 1.0))


def embedded(page: str) -> list[dict[str, Any]]:
    """The rows of the table of cases, with texts in place of their numbers."""
    data = json.loads(Page(page).scripts[0])
    names = ("case", "verdict", "suite", "operation", "types", "rule", "reason", "fingerprint")
    return [
        dict(
            zip(
                names,
                [
                    row[0],
                    *(data["texts"][part] for part in row[1:4]),
                    row[4],
                    *map(data["texts"].__getitem__, row[5:8]),
                ],
                strict=True,
            )
        )
        | {"count": row[9], "details": row[-1]}
        for row in data["cases"]
    ]


@pytest.mark.long
def test_a_run_of_everything_makes_a_page_below_5_mb(tmp_path: Path, started: RunStarted) -> None:
    """Of 400,000 cases each of the last 200, failures, has a row and evidence; the others are counts."""

    def verdict_of(index: int) -> Verdict:
        if index >= CASES - 200:
            return Verdict.FAIL
        return Verdict.UNSUPPORTED if index % len(OPERATIONS) % 5 == 0 else Verdict.PASS

    page = render_page(large_log(tmp_path / "run.jsonl", started, CASES, verdict_of))
    assert len(page.encode()) < 5_000_000
    rows = embedded(page)
    assert sum(row["count"] for row in rows) == CASES
    failed = [row for row in rows if row["verdict"] == "FAIL"]
    assert len(failed) == 200
    assert all(row["count"] == 1 and len(row["details"]["stderr tail"]) > 1000 for row in failed)
    unsupported = {row["reason"] for row in rows if row["verdict"] == "UNSUPPORTED"}
    assert unsupported == {f"the driver does not support {name}" for name in OPERATIONS[::5]}


def test_a_driver_that_fails_everywhere_does_not_break_the_page(tmp_path: Path, started: RunStarted) -> None:
    """Beyond their limit failures of one fingerprint, check, operation and type share a row, and evidence ends."""
    count = 4 * FAILED_CASES
    page = render_page(large_log(tmp_path / "run.jsonl", started, count, lambda _: Verdict.FAIL))
    assert len(page.encode()) < 8_000_000
    rows = embedded(page)
    assert sum(row["count"] for row in rows) == count
    assert {row["rule"] for row in rows} == {f"{name}/output.value" for name in OPERATIONS}


def test_failures_that_are_all_different_do_not_break_page_and_junit(tmp_path: Path, started: RunStarted) -> None:
    """A driver that makes up a reason for each case fills neither the browser nor the server of a CI.

    All failures are counted, the first are shown whole, and every case is in the file for the CI.
    """
    count = 2 * ROWS_SHOWN
    results = {
        f"made/up/{index}": CaseFinished(
            f"made/up/{index}",
            Verdict.FAIL,
            rule=f"RULE_{index}/output.value",
            reason=f"reason {index} " + "r" * 1500,
            evidence={f"key{index}": "e" * 1500, "stderr_tail": f"{index}" + "t" * 1500},
            labels={"suite": "made"},
        )
        for index in range(count)
    }
    log = Log(tmp_path / "run.jsonl", started, results, (), (), RunFinished({Verdict.FAIL: count}, 1, 1.0))
    page = render_page(log)
    assert len(page.encode()) < 10_000_000
    rows = embedded(page)
    assert (len(rows), sum(row["count"] for row in rows)) == (ROWS_SHOWN + 1, count)
    assert rows[0]["reason"].endswith("r" * 1500)
    junit = render_junit(log)
    assert len(junit.encode()) < 25_000_000
    cases = ET.fromstring(junit).findall("testsuite/testcase")  # noqa: S314 - made here
    assert len(cases) == count
    assert all(case.find("failure") is not None for case in cases)
    assert "e" * 1500 in str(cases[0].findtext("failure"))
    assert "in the log" in str(cases[-1].findtext("failure"))


def test_parts_without_failures_are_folded(make_log: Callable[..., Path]) -> None:
    """A part with a failure stands first and open; where all is well, the whole table is behind one line."""
    well = render_page(read_log(make_log({"a/1": Verdict.PASS, "b/1": Verdict.UNSUPPORTED})))
    assert "<summary>2 parts without failures</summary>" in well
    mixed = render_page(read_log(make_log({"a/1": Verdict.PASS, "b/1": Verdict.HANG}, exit_code=1)))
    opened, _, folded = mixed.partition('id="parts"')[2].partition("<summary>1 part without failures</summary>")
    assert ">b</button>" in opened
    assert ">a</button>" not in opened
    assert ">a</button>" in folded


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.CRASH])
def test_failures_come_before_the_matrix(full_log: Path, verdict: Verdict) -> None:
    """Failures are read before all other cases; merely unsupported ones come after."""
    page = render_page(read_log(full_log))
    places = [
        page.index(f'<section id="{name}">') for name in ("summary", "failures", "crashes", "matrix", "unsupported")
    ]
    assert places == sorted(places)
    assert page.count(f'class="badge {verdict.lower()}"') > 0
