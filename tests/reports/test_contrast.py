"""Contrasts of failing and passing cases: by hand, and none where chance decides."""

import random
from pathlib import Path

import pytest

from nnvet.reports.console import print_summary
from nnvet.reports.contrast import contrasts
from nnvet.reports.events import DriverFacts, RunStarted, Verdict
from nnvet.reports.log import EventLog, Log
from nnvet.reports.markdown import render_markdown

FACTS = DriverFacts("python:driver.py:make", name="driver")
Row = tuple[Verdict, str, dict[str, str]]


def log_of(path: Path, rows: list[Row], operation: str = "CONV_2D") -> Log:
    """Return the log of cases with verdicts, types and attributes."""
    with EventLog.create(path / "run.jsonl", RunStarted("0.1.0", FACTS, "2026-11-27T07:00:00Z")) as log:
        for number, (verdict, kind, given) in enumerate(rows):
            attributes = {name: value for name, value in given.items() if name != "check"}
            check = given.get("check", "sync")
            labels = {"operations": [operation], "operand_types": [kind], "check": check, "attributes": attributes}
            log.case_started(f"GeneratedTest/sync/{number}")
            log.case_finished(f"GeneratedTest/sync/{number}", verdict, rule="execution/output.value", labels=labels)
        log.finish(1)
        return log.so_far


def cases(verdict: Verdict, count: int, kind: str = "TENSOR_FLOAT32", **attributes: str) -> list[Row]:
    """So many cases that are alike."""
    return [(verdict, kind, attributes)] * count


FAIL, PASS = Verdict.FAIL, Verdict.PASS


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [
                *cases(FAIL, 4, padding="SAME", stride="2"),
                *cases(PASS, 9, padding="SAME", stride="1"),
                *cases(PASS, 3, padding="VALID", stride="2"),
            ],
            "all 4 failures have padding SAME and stride 2; of 12 cases that pass none has it",
        ),
        (
            [*cases(FAIL, 8, padding="SAME"), *cases(PASS, 2, padding="SAME"), *cases(PASS, 30, padding="VALID")],
            "all 8 failures have padding SAME; of 32 cases that pass 2 have it",
        ),
        (
            [*cases(FAIL, 4, "TENSOR_FLOAT16"), *cases(FAIL, 4), *cases(PASS, 20, "TENSOR_QUANT8_ASYMM")],
            "all 8 failures have elements floats; of 20 cases that pass none has it",
        ),
        (
            # Outputs of these cases are too small for any value, so that they pass whatever the driver computes.
            [
                *cases(FAIL, 6, padding="SAME"),
                *cases(PASS, 5, padding="SAME", check="sync_insufficient"),
                *cases(PASS, 20, padding="VALID"),
            ],
            "all 6 failures have padding SAME; of 20 cases that pass none has it",
        ),
        (
            [
                *cases(FAIL, 6, padding="SAME", check="sync_insufficient"),
                *cases(PASS, 6, padding="SAME"),
                *cases(PASS, 20, padding="VALID", check="sync_insufficient"),
            ],
            "all 6 failures have executor sync_insufficient and padding SAME; of 26 cases that pass none has it",
        ),
        (
            [*cases(Verdict.CRASH, 3, rank="1"), *cases(PASS, 5, rank="4")],
            "all 3 failures have rank 1; of 5 cases that pass none has it",
        ),
    ],
)
def test_common_attributes_are_named(rows: list[Row], said: str, tmp_path: Path) -> None:
    """The shortest condition, with the cases that pass beside it; in the summary of the terminal and of Markdown."""
    log = log_of(tmp_path, rows)
    (contrast,) = contrasts(log)
    assert str(contrast) == f"CONV_2D: {said}"
    assert said in render_markdown(log).replace("\\", "")


@pytest.mark.parametrize(
    "rows",
    [
        [*cases(FAIL, 2, padding="SAME"), *cases(PASS, 9, padding="VALID")],
        [*cases(FAIL, 9, padding="SAME"), *cases(PASS, 2, padding="VALID")],
        [*cases(FAIL, 8, padding="SAME"), *cases(PASS, 3, padding="SAME"), *cases(PASS, 30, padding="VALID")],
        [*cases(FAIL, 8, padding="SAME"), *cases(PASS, 2, padding="SAME"), *cases(PASS, 8, padding="VALID")],
        [*cases(FAIL, 4, padding="SAME"), *cases(FAIL, 1, padding="VALID"), *cases(PASS, 30, padding="VALID")],
        [*cases(Verdict.UNSUPPORTED, 8, padding="SAME"), *cases(PASS, 8, padding="VALID")],
    ],
    ids=["few failing", "few passing", "many exceptions", "a large share", "not all", "no failures"],
)
def test_what_is_no_contrast(rows: list[Row], tmp_path: Path) -> None:
    """Too few cases, or a condition that passing ones meet as well, or not all failing ones."""
    assert contrasts(log_of(tmp_path, rows)) == []


def test_chance_makes_no_contrast(tmp_path: Path) -> None:
    """Of 200 runs in which cases fail whatever their attributes are, not one has a contrast."""
    chance = random.Random(7)
    for number in range(200):
        (tmp_path / str(number)).mkdir()
        rows = [
            (chance.choice((FAIL, PASS, PASS)), chance.choice(("TENSOR_FLOAT32", "TENSOR_FLOAT16")), attributes)
            for attributes in (
                {name: str(chance.randrange(3)) for name in ("rank", "padding", "stride", "layout", "activation")}
                for _ in range(40)
            )
        ]
        assert contrasts(log_of(tmp_path / str(number), rows)) == []


def test_the_terminal_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Behind the faults."""
    print_summary(log_of(tmp_path, [*cases(FAIL, 3, rank="1"), *cases(PASS, 5, rank="4")]))
    assert "CONV_2D: all 3 failures have rank 1; of 5 cases that pass none has it" in capsys.readouterr().out


def test_the_terminal_gives_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That of the evidence, once for all cases of the fault."""
    with EventLog.create(tmp_path / "run.jsonl", RunStarted("0.1.0", FACTS, "2026-11-27T07:00:00Z")) as log:
        for name in ("ADD", "MUL"):
            log.case_started(name)
            labels, evidence = {"operations": [name]}, {"advice": "claim both"}
            log.case_finished(name, FAIL, rule="prepare/coupling", labels=labels, evidence=evidence)
        log.finish(1)
        print_summary(log.so_far)
    output = capsys.readouterr().out
    assert "2 x FAIL ADD" in output
    assert output.count("what to do: claim both") == 1
