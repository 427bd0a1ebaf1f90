"""Pass rates of mined fragments, plain and weighted by occurrence; the expected rates are worked out by hand."""

from pathlib import Path

from nnvet.reports.events import DriverFacts, RunStarted, Verdict
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, Log, read_log
from nnvet.reports.markdown import render_markdown
from nnvet.reports.mined import MinedRates, Share, mined_rates
from tests.reports.test_texts import console_text

CASES = (
    ("conv", 12, Verdict.PASS),
    ("conv", 12, Verdict.PASS),
    ("conv", 12, Verdict.UNSUPPORTED),
    ("add", 3, Verdict.PASS),
    ("add", 3, Verdict.FAIL),
    ("lstm", 4, Verdict.UNSUPPORTED),
    ("pool", 1, Verdict.CRASH),
)
"""Fragments with their occurrences: 20 in all, of which those of conv pass; an ADD that fails once does not."""
SENTENCE = (
    "mined fragments that pass: 1 of 4 (25.0 %); weighted by occurrence: 12 of 20 (60.0 %); "
    "not supported: 1, which is 20.0 % of the occurrences"
)


def run_of(folder: Path, *cases: tuple[str, int, Verdict]) -> Log:
    """A log with these cases."""
    with EventLog.create(folder / "run.jsonl", RunStarted("0.1.0", DriverFacts("d"), "2025-11-21T09:41:07Z")) as log:
        for number, (name, count, verdict) in enumerate(cases):
            log.case_started(f"c/{number}")
            log.case_finished(f"c/{number}", verdict, labels={"fragment": name, "occurrences": count})
        log.finish(1)
    return read_log(log.path)


def test_rates_are_of_fragments(tmp_path: Path) -> None:
    """A fragment counts once, or as often as it occurs, however many cases there are of it."""
    rates = mined_rates(run_of(tmp_path, *CASES))
    assert rates == MinedRates(plain=Share(1, 1, 4), weighted=Share(12, 4, 20))


def test_all_places_name_both_rates(tmp_path: Path) -> None:
    """Console, summary and the head of the page."""
    log = run_of(tmp_path, *CASES)
    assert SENTENCE in console_text(log.path, width=300)
    assert SENTENCE in render_markdown(log)
    assert SENTENCE in render_page(log).partition("</header>")[0]


def test_other_runs_have_none(tmp_path: Path) -> None:
    """Without mined specs nothing is said of them."""
    started = RunStarted("0.1.0", DriverFacts("d"), "2025-11-21T09:41:07Z")
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started("c/0")
        log.case_finished("c/0", Verdict.PASS)
        log.finish(1)
    assert mined_rates(read_log(log.path)) is None
