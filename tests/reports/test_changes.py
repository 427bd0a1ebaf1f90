"""``nnvet diff`` on console and page; what is expected was counted by hand."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.reports.diff import CASES_SHOWN, ChangeGroup, Trend, group_changes
from nnvet.reports.events import RunStarted, Verdict
from nnvet.reports.html.diff import render_changes
from nnvet.reports.log import EventLog, Log, read_log
from tests.commands.test_utilities import nnvet, words
from tests.reports.conftest import INJECTION

PASS, FAIL, CRASH, GONE = Verdict.PASS, Verdict.FAIL, Verdict.CRASH, None
CHANGES: dict[str, tuple[Verdict | None, Verdict | None]] = {
    "same": (PASS, PASS),
    **{f"broken/{number:02}": (PASS, FAIL) for number in range(CASES_SHOWN + 3)},
    "died": (PASS, CRASH),
    "mended": (FAIL, PASS),
    "forgiven": (FAIL, Verdict.WAIVED),
    "old": (PASS, GONE),
    "new/1": (GONE, FAIL),
    "new/2": (GONE, FAIL),
}
SUMMARY = "24 worse, 1 better, 1 changed, 1 only before, 2 only after"


@pytest.fixture
def runs(make_log: Callable[..., Path], tmp_path: Path) -> tuple[Path, Path]:
    """The folders of two runs."""
    for side, name in enumerate(("before", "after")):
        (tmp_path / name).mkdir()
        verdicts = {case: change[side] for case, change in CHANGES.items() if change[side] is not GONE}
        make_log(verdicts, exit_code=1, name=f"{name}/run.jsonl")
    return tmp_path / "before", tmp_path / "after"


def logs(runs: tuple[Path, Path]) -> tuple[Log, Log]:
    """The logs of both."""
    return read_log(runs[0] / "run.jsonl"), read_log(runs[1] / "run.jsonl")


def test_groups(runs: tuple[Path, Path]) -> None:
    """Worse changes come first, then those of more cases; nothing that stayed the same."""
    groups = group_changes(*logs(runs))
    broken = tuple(f"broken/{number:02}" for number in range(23))
    assert groups == [
        ChangeGroup(Trend.WORSE, PASS, FAIL, broken),
        ChangeGroup(Trend.WORSE, PASS, CRASH, ("died",)),
        ChangeGroup(Trend.BETTER, FAIL, PASS, ("mended",)),
        ChangeGroup(Trend.OTHER, FAIL, Verdict.WAIVED, ("forgiven",)),
        ChangeGroup(Trend.REMOVED, PASS, GONE, ("old",)),
        ChangeGroup(Trend.ADDED, GONE, FAIL, ("new/1", "new/2")),
    ]
    assert (groups[0].shown, groups[0].rest) == (broken[:20], 3)


def test_the_summary_comes_first(runs: tuple[Path, Path]) -> None:
    """Counts of both runs, then how many are worse and better, then twenty cases of each change at most."""
    result = nnvet("diff", *runs)
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    assert result.exit_code == 1
    assert lines[:6] == ["before after", "PASS 26 2 -24", "FAIL 2 25 +23", "CRASH 0 1 +1", "WAIVED 0 1 +1", SUMMARY]
    assert lines[6] == "worse: PASS -> FAIL, 23 cases"
    assert lines[26:29] == ["broken/19", "and 3 more", "worse: PASS -> CRASH, 1 case"]
    assert "only after: absent -> FAIL, 2 cases" in lines


def test_nothing_worse(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """Exit code 0, with logs or folders; a new failing case is not worse than before, but is named."""
    before, _ = runs
    assert (nnvet("diff", before, before / "run.jsonl").exit_code) == 0
    assert "0 worse, 0 better" in words(nnvet("diff", before, before))
    assert nnvet("diff", before, tmp_path / "absent").exit_code == 2


def test_page(runs: tuple[Path, Path]) -> None:
    """Self-contained: summary, differences by verdict, and the groups with the rest of the first."""
    page = render_changes(*logs(runs))
    assert f"<title>{SUMMARY} · nnvet</title>" in page
    assert re.findall(r'<td class="num ?[\w-]*">([-+]\d+)</td>', page) == ["-24", "+23", "+1", "+1"]
    assert page.count('<details class="group" open>') == 3
    assert page.count('<details class="group">') == 3
    assert re.findall(r">and (\d+) more in the table of changed cases<", page) == ["3"]
    assert len(re.findall(r"<li><code>", page)) == 20 + 1 + 1 + 1 + 1 + 2
    assert (
        "The driver got worse: because of 2 faults it fails 24 cases that it did not fail before; it fails 2 cases "
        in page
    )
    assert re.findall(r'<td class="num (\w*)">[-+]', page) == ["fail", "fail", "crash", "waived"]
    assert not re.search(r"https?://|<script [^>]*src=|<link", page)
    assert 'id="differences"' not in page


def test_cases_of_a_change_are_grouped_by_fault(tmp_path: Path, make_log: Callable[..., Path]) -> None:
    """Of 30 faults the 20 commonest, each with one case; nothing that got worse is said to have."""
    names = [f"c/{number:02}" for number in range(31)]
    with EventLog.create(tmp_path / "after.jsonl", read_log(make_log({}, name="started.jsonl")).started) as log:
        for number, name in enumerate(names):
            log.case_started(name)
            log.case_finished(name, FAIL, rule=f"RULE_{max(number, 1)}/x")
        log.finish(1)
    before = read_log(make_log(dict.fromkeys(names, PASS), name="before.jsonl"))
    page = render_changes(before, read_log(log.path))
    assert page.count('class="because"') == 20
    assert re.findall(r">and (\d+) more( of other faults)? in the table", page) == [
        ("1", ""),
        ("10", " of other faults"),
    ]
    back = render_changes(read_log(log.path), before)
    assert "No case of both runs got worse: it now passes 31 cases that it failed before." in back
    assert re.findall(r'<td class="num (\w*)">[-+]', back) == ["pass", "pass"]


def test_page_of_strange_texts(tmp_path: Path, started: RunStarted, make_log: Callable[..., Path]) -> None:
    """A driver's words stay text; a failure is shown with its rule; other shards are named."""
    with EventLog.create(tmp_path / "after.jsonl", started) as log:
        log.case_started("a")
        log.case_finished("a", FAIL, rule="ADD/output.value", reason=INJECTION)
        log.finish(1)
    page = render_changes(read_log(make_log({"a": PASS}, name="before.jsonl")), read_log(log.path))
    assert "<script>document.title" not in page
    assert page.count("</script>") == 2
    assert "<b>1</b> because of ADD/output.value: &lt;/script&gt;" in page
    assert "The runs are not alike. Selections:" in page


def test_the_page_is_written(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """The page is written to the option's file; anything but a file is refused."""
    page = tmp_path / "new" / "diff.html"
    result = nnvet("diff", *runs, "--out", page)
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, f"page: {page}")
    assert page.read_text(encoding="utf-8") == render_changes(*logs(runs))
    result = nnvet("diff", *runs, "--out", tmp_path)
    assert (result.exit_code, "cannot be written (Is a directory)" in words(result)) == (2, True)
