"""A run's report beside a history: what is new above the fold. Expected texts: by hand from three runs."""

from pathlib import Path

import pytest

from nnvet.reports.events import DriverFacts, Measurement, RunStarted, Verdict
from nnvet.reports.figures import Delta, summarise
from nnvet.reports.history import History, append_run, facts_of
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, Log, read_log
from nnvet.reports.series import past_of
from tests.commands.test_utilities import nnvet

RULES = ("ADD/output.value", "MUL/output.value", "SUB/output.value")


def run_of(folder: Path, day: int, broken: str, median_s: float, name: str = "acme", top_1: float = 0.5) -> Log:
    """A run of three cases, of which those whose rule begins with one of ``broken`` failed, and one model."""
    started = RunStarted("0.1.0", DriverFacts(name, name), f"2026-11-{day:02d}T06:00:00Z")
    with EventLog.create(folder / f"{name}-{day}.jsonl", started) as log:
        for rule in RULES:
            log.case_started(rule)
            failed = rule[0] in broken
            log.case_finished(rule, Verdict.FAIL if failed else Verdict.PASS, rule=rule if failed else "")
        log.measurement(Measurement("net", "LiteRT", summarise([0.5])))
        figures = {"top_1": top_1, "top_5": 0.9, "max_single_error": 0.1 * day}
        log.measurement(Measurement("net", f"nnvet:{name}", summarise([median_s]), accuracy=figures))
        log.finish(1 if broken else 0)
    return read_log(log.path)


@pytest.fixture
def logs(tmp_path: Path) -> list[Log]:
    """ADD fails on the first day, ADD and MUL on the second, MUL and SUB on the third, when it is a quarter slower."""
    return [
        run_of(tmp_path, day, broken, median_s)
        for day, broken, median_s in ((1, "A", 0.002), (2, "AM", 0.002), (3, "MS", 0.0025))
    ]


def history_of(logs: list[Log]) -> History:
    """The history of some runs."""
    return History(Path("history.jsonl"), tuple(map(facts_of, logs)))


def test_new_and_fixed_since_the_last_run(logs: list[Log]) -> None:
    """Runs after a log, of other drivers, and the log itself are not before it."""
    past = past_of(logs[2], history_of(logs))
    assert past is not None
    assert ([name for _, name in past.new], [name for _, name in past.fixed]) == ([RULES[2]], [RULES[0]])
    assert past.changes(logs[2]) == {"net": Delta("+25.0 %", "worse")}
    past = past_of(logs[1], history_of(logs))
    assert past is not None
    assert (past.before.date, [name for _, name in past.new], past.fixed) == ("2026-11-01 06:00", [RULES[1]], ())
    assert past_of(logs[0], history_of(logs)) is None


def test_accuracy_since_the_last_run(logs: list[Log], tmp_path: Path) -> None:
    """Of the figures that say most, those that moved by a point or more; the page also has a line over the runs."""
    (same, worse) = (run_of(tmp_path, day, "", 0.002, top_1=top_1) for day, top_1 in ((4, 0.495), (5, 0.47)))
    history = history_of([*logs, same, worse])
    for log, expected in ((same, {}), (worse, {"net": Delta("top 1 -2.5 pp", "worse")})):
        past = past_of(log, history)
        assert past is not None
        assert past.figure_changes(log) == expected
    page = render_page(worse, history)
    assert "top 1 -2.5 pp" in page
    assert "net: top 1 50.0 % in the first run measured, 47.0 % in the last, between 47.0 % and 50.0 %" in page


def test_without_earlier_runs_of_its_kind_there_is_no_past(logs: list[Log], tmp_path: Path) -> None:
    """Nor without a history, of another driver, or of a run without an end."""
    other = run_of(tmp_path, 9, "", 0.002, name="other")
    assert past_of(logs[2], None) is None
    assert past_of(other, history_of(logs)) is None
    text = logs[2].path.read_text("utf-8").splitlines()
    logs[2].path.write_text("\n".join(text[:-1]) + "\n", "utf-8")
    assert past_of(read_log(logs[2].path), history_of(logs)) is None


def test_the_page_says_what_is_new_above_the_fold(logs: list[Log]) -> None:
    """In the banner with links, beside the failure, in a section of its own, and at each model."""
    page = render_page(logs[2], history_of(logs))
    banner = " ".join(page[page.index('id="since"') : page.index('id="judged"')].split())
    fingerprint = logs[2].results[RULES[2]].fingerprint
    assert f'<a href="#group-{fingerprint}">SUB/output.value</a>' in banner
    assert '1 new</b> since the <a href="#history">last run</a>, 2026-11-02 06:00' in banner
    assert "1 fixed</b>: ADD/output.value" in banner
    assert page.count('<b class="new">new</b>') == 1
    assert '<section id="history"' in page
    assert "▼ +25.0 %" in page
    plain = render_page(logs[2])
    assert 'id="since"' not in plain
    assert 'id="history"' not in plain


def test_nothing_new_is_said_too(logs: list[Log], tmp_path: Path) -> None:
    """A run like the one before it."""
    again = run_of(tmp_path, 4, "MS", 0.0025)
    assert "<b>Nothing new</b> since the" in render_page(again, history_of([*logs, again]))


def test_the_command_renews_the_report(logs: list[Log], tmp_path: Path) -> None:
    """``nnvet report --history`` of the second run, where the first is known."""
    append_run(tmp_path / "history", facts_of(logs[0]))
    result = nnvet("report", logs[1].path, "--out", tmp_path / "out", "--history", tmp_path / "history")
    assert result.exit_code == 0
    assert "MUL/output.value</a>" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_several_drivers_of_one_log_are_apart(tmp_path: Path) -> None:
    """A benchmark of two drivers keeps the figures of both."""
    with EventLog.create(tmp_path / "run.jsonl", RunStarted("0.1.0", DriverFacts("a"), "2026-11-01T06:00:00Z")) as log:
        for name, median_s in (("LiteRT", 0.1), ("nnvet:a", 0.2), ("nnvet:b", 0.4)):
            log.measurement(Measurement("net", name, summarise([median_s])))
        log.finish(0)
    medians = {name: model.median_s for name, model in facts_of(read_log(log.path)).models.items()}
    assert medians == {"net on nnvet:a": 0.2, "net on nnvet:b": 0.4}
