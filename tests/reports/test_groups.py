"""Failures are grouped by cause, with all their evidence."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.reports.addresses import source_address
from nnvet.reports.events import DriverFacts, RunStarted, Verdict
from nnvet.reports.evidence import replay_command
from nnvet.reports.html.groups import CASES_SHOWN, GROUPS_SHOWN, VALUE_LIMIT, build_sections
from nnvet.reports.log import EventLog, read_log
from tests.reports.conftest import MODEL


def test_sections_hold_all_that_did_not_pass(full_log: Path) -> None:
    """Each verdict has its section; equal faults make one group with one example."""
    sections = {section.id: section for section in build_sections(read_log(full_log))}
    assert {name: section.total for name, section in sections.items()} == {
        "failures": 2,
        "crashes": 2,
        "errors": 1,
        "waived": 1,
        "unsupported": 1,
        "not-run": 1,
    }
    (group,) = sections["failures"].groups
    assert (group.rule, group.sentence, group.operations) == (
        "CONV_2D/output.value",
        "Outputs equal the reference.",
        ("CONV_2D",),
    )
    assert group.pages == ("docs/contract/operations/CONV_2D.md#CONV_2D/output.value",)
    assert [case.replay for case in group.cases] == ["nnvet replay spec/conv/f1"]
    assert (group.total, group.hidden) == (2, 1)


def test_a_case_has_its_model_its_spec_and_how_it_ended_again(tmp_path: Path, started: RunStarted) -> None:
    """The first case whose error was explained stands for its group; a spec is a link where files have an address."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for case, more in (
            ("a", {}),
            ("b", {"looks_like": "every wrong element is 1 too large"}),
            ("c", {"looks_like": "all elements are as if beta were 1, not 2", "again": "PASS", "graph": MODEL}),
        ):
            log.case_started(case)
            labels = {"operations": "MUL", "source": "conformance/specs/V1_0/mul.mod.py:7"}
            log.case_finished(case, Verdict.FAIL, rule="MUL/output.value", evidence=more, labels=labels)
    (section,) = build_sections(read_log(log.path))
    (view,) = section.groups[0].cases
    assert (view.result.case, view.again) == ("c", ("flaky", "run again it was PASS"))
    assert view.source == "conformance/specs/V1_0/mul.mod.py:7"
    assert view.drawing is not None
    assert len(view.drawing.boxes) == 2


def test_specs_are_links_to_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the address that NNVET_SOURCE has; files of users have none there."""
    assert source_address("conformance/specs/V1_0/mul.mod.py:7") == ""
    monkeypatch.setenv("NNVET_SOURCE", "https://host.example/blob/main/")
    address = "https://host.example/blob/main/conformance/specs/V1_0/mul.mod.py#L7"
    assert source_address("conformance/specs/V1_0/mul.mod.py:7") == address
    assert source_address("/home/me/mine.mod.py:7") == ""


def test_the_worst_element_is_laid_out(full_log: Path) -> None:
    """Expected, actual, tolerance and its source, NaN by name; other evidence as pairs."""
    sections = {section.id: section for section in build_sections(read_log(full_log))}
    assert sections["failures"].groups[0].cases[0].worst == (
        ("output", "0"),
        ("index", "[0, 3]"),
        ("expected", "1.5"),
        ("actual", "NaN"),
        ("tolerance", "1e-05"),
        ("tolerance from", "fp32 atol"),
    )
    crash = next(group.cases[0] for group in sections["crashes"].groups if group.verdict is Verdict.CRASH)
    assert crash.facts == (("signal", "SIGSEGV"), ("exit code", "-11"))
    assert crash.stderr_tail.startswith("last ")


def test_evidence_of_an_unexpected_form_is_shown_as_it_is(full_log: Path) -> None:
    """A worst element that is no table becomes a plain fact."""
    sections = {section.id: section for section in build_sections(read_log(full_log))}
    view = sections["errors"].groups[0].cases[0]
    assert (view.worst, view.facts) == ((), (("worst", "not a table"),))


def test_a_command_to_replay_is_always_there(full_log: Path) -> None:
    """Without one in the evidence it is made of case, driver, level and seed, quoted for a shell."""
    sections = {section.id: section for section in build_sections(read_log(full_log))}
    view = sections["errors"].groups[0].cases[0]
    assert view.replay == "nnvet replay other/error -d 'exec:./treiber --größe=<1>' --level 7"


def test_large_groups_and_long_values_are_cut(tmp_path: Path, started: RunStarted) -> None:
    """The page shows the first cases of a group and says how many more there are."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for index in range(9):
            log.case_started(f"c/{index}")
            log.case_finished(f"c/{index}", Verdict.FAIL, rule="R", evidence={"text": "x" * 9000})
    (section,) = build_sections(read_log(log.path))
    (group,) = section.groups
    assert (group.total, len(group.cases), group.hidden) == (9, CASES_SHOWN, 9 - CASES_SHOWN)
    assert group.cases[0].facts[0][1] == "x" * VALUE_LIMIT + "… (9,000 characters)"


def test_the_biggest_groups_come_first_and_a_flood_is_cut(tmp_path: Path, started: RunStarted) -> None:
    """A driver that breaks every rule gives a page of bounded length."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for index in range(GROUPS_SHOWN + 20):
            for repeat in range(2 if index == 70 else 1):
                log.case_started(f"c/{index}/{repeat}")
                log.case_finished(f"c/{index}/{repeat}", Verdict.FAIL, rule=f"R/{index:03}")
    (section,) = build_sections(read_log(log.path))
    assert (len(section.groups), section.hidden_groups, section.total) == (GROUPS_SHOWN, 20, GROUPS_SHOWN + 21)
    assert [group.rule for group in section.groups[:3]] == ["R/070", "R/000", "R/001"]


def test_unsupported_cases_are_grouped_by_reason(make_log: Callable[..., Path]) -> None:
    """One reason makes one group, whatever the case."""
    path = make_log({f"u/{index}": Verdict.UNSUPPORTED for index in range(5)})
    (section,) = build_sections(read_log(path))
    assert [group.total for group in section.groups] == [5]
    assert section.is_brief


def test_a_replay_repeats_the_options_of_the_run() -> None:
    """Whatever decides how one case runs is in the command, also for cases that passed."""
    run = RunStarted(
        "0.1", DriverFacts("exec:./driver"), "", level=3, options=("--specs", "my specs", "--timeout", "5")
    )
    command = "nnvet replay A/b -d exec:./driver --specs 'my specs' --timeout 5 --level 3"
    assert replay_command(run, "A/b") == command


def test_what_is_no_case_is_run() -> None:
    """A driver that does not start, or a spec that cannot be loaded, has no case to replay."""
    run = RunStarted("0.1", DriverFacts("reference"), "")
    for text in ("load/wrong", "driver/start"):
        assert replay_command(run, text) == f"nnvet run -d reference --only {text} --out replay"
    assert replay_command(run, "A/*") == "nnvet run -d reference --only 'A/*' --out replay"
