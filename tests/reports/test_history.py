"""Histories of runs: what is kept, what came and went, damaged files, and the page. Expected changes are by hand."""

import html
import json
import multiprocessing
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.reports.events import DriverFacts, Measurement, RunStarted, Verdict
from nnvet.reports.figures import summarise
from nnvet.reports.history import (
    FILE,
    History,
    HistoryError,
    KnownFault,
    ModelFigures,
    RunFacts,
    append_run,
    facts_of,
    read_history,
)
from nnvet.reports.html.history import render_history
from nnvet.reports.log import EventLog, read_log
from nnvet.reports.series import series_of
from tests.commands.test_utilities import nnvet, words
from tests.reports.past_runs import facts
from tests.reports.test_browser import CHROMIUM, document, probe

INJECTION = "</title><script>document.title='owned'</script>"


def test_what_is_kept_of_a_run(tmp_path: Path) -> None:
    """Header, counts, faults by fingerprint with the first case, and what was measured on the driver itself."""
    started = RunStarted("0.1.0", DriverFacts("sel", "npu", "2.4"), "2026-11-21T09:41:07Z", shard="1/2", planned=4)
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for case, verdict in (("a", Verdict.PASS), ("b", Verdict.FAIL), ("c", Verdict.FAIL), ("d", Verdict.CRASH)):
            log.case_started(case)
            log.case_finished(case, verdict, rule="ADD/output.value" if verdict is Verdict.FAIL else "", reason=case)
        log.measurement(Measurement("net", "LiteRT", summarise([0.002])))
        log.measurement(Measurement("net", "nnvet:sel", summarise([0.004, 0.006, 0.02]), accuracy={"top_1": 0.25}))
        log.finish(1, duration_s=12.5)
    kept = facts_of(read_log(tmp_path / "run.jsonl"))
    assert (kept.driver, kept.version, kept.shard, kept.outcome) == ("npu", "2.4", "1/2", "not conformant")
    assert (kept.counts, kept.duration_s, kept.is_whole) == ({"PASS": 1, "FAIL": 2, "CRASH": 1}, 12.5, True)
    assert sorted((fault.case, fault.rule, fault.cases) for fault in kept.faults.values()) == [
        ("b", "ADD/output.value", 2),
        ("d", "", 1),
    ]
    assert kept.models == {"net": ModelFigures(0.006, {"top_1": 0.25})}
    append_run(tmp_path, kept)
    assert read_history(tmp_path).runs == (kept,)


@pytest.mark.parametrize(
    ("verdicts", "planned", "is_whole"),
    [
        ({"a": Verdict.PASS, "b": Verdict.UNSUPPORTED}, 2, True),
        ({"a": Verdict.PASS, "b": Verdict.NOT_RUN}, 2, False),
        ({"a": Verdict.PASS, "b": Verdict.ERROR}, 2, False),
        ({"a": Verdict.PASS}, 2, False),
    ],
)
def test_whole_runs(verdicts: dict[str, Verdict], planned: int, is_whole: bool, tmp_path: Path) -> None:
    """Whatever was selected was judged, or is not for this driver."""
    started = RunStarted("0.1.0", DriverFacts("sel"), "2026-11-21T09:41:07Z", planned=planned)
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for case, verdict in verdicts.items():
            if verdict is not Verdict.NOT_RUN:
                log.case_started(case)
            log.case_finished(case, verdict)
        log.finish(0)
    assert facts_of(read_log(tmp_path / "run.jsonl")).is_whole is is_whole


def test_runs_without_an_end(make_log: Callable[..., Path]) -> None:
    """They make no history."""
    with pytest.raises(HistoryError, match="did not come to its end"):
        facts_of(read_log(make_log({"a": Verdict.PASS}, exit_code=None)))


def test_new_and_fixed() -> None:
    """Beside the run before: a waived fault is not fixed, and a run that was cut short fixes nothing."""
    runs = [
        facts(1, "ab"),
        facts(2, "bc"),
        facts(3, "", waived="b"),
        facts(4, "d", is_whole=False),
        facts(5, "bd"),
        facts(6, ""),
        facts(7, "b"),
    ]
    (series,) = series_of(runs)
    assert [("".join(step.new), "".join(step.fixed)) for step in series.steps] == [
        ("", ""),
        ("c", "a"),
        ("", "c"),
        ("d", ""),
        ("b", ""),
        ("", "bd"),
        ("b", ""),
    ]
    lives = {life.fingerprint: life for life in series.lives}
    assert {name: life.states for name, life in lives.items()} == {
        "a": "x..?...",
        "b": "xxw?x.x",
        "c": ".x.?...",
        "d": "...xx..",
    }
    assert {name: life.spans for name, life in lives.items()} == {
        "a": ((0, 0),),
        "b": ((0, 4), (6, 6)),
        "c": ((1, 1),),
        "d": ((3, 4),),
    }
    assert [life.fingerprint for life in series.lives if life.is_open] == ["b"]


def test_a_run_that_was_cut_short_last_leaves_faults_open() -> None:
    """It says nothing of what it did not reach; a fault that was gone before stays gone."""
    (series,) = series_of([facts(1, "ab"), facts(2, "b"), facts(3, "", is_whole=False)])
    assert {life.fingerprint: life.is_open for life in series.lives} == {"a": False, "b": True}
    assert series.steps[-1].fixed == ()


def test_other_drivers_and_selections_are_apart() -> None:
    """Each has its own runs before; the latest comes first."""
    runs = [facts(1, "a"), facts(2, "b", selector="other"), facts(3, "c", selection=("x/*",)), facts(4, "a")]
    found = series_of(runs)
    assert [[run.date[8:10] for run in series.runs] for series in found] == [["01", "04"], ["03"], ["02"]]
    assert found[0].steps[-1].new == found[0].steps[-1].fixed == ()
    assert [series.title for series in found] == ["acme, usual executors", "acme, x/*", "other, usual executors"]


def test_runs_are_in_order_of_time_and_there_once(tmp_path: Path) -> None:
    """However they were added."""
    for day in (3, 1, 2, 1):
        append_run(tmp_path, facts(day))
    assert [run.time[8:10] for run in read_history(tmp_path).runs] == ["01", "02", "03"]


def test_a_last_line_that_was_cut_off(tmp_path: Path) -> None:
    """It is named and left out; what is added later is on a line of its own, and the remains are kept."""
    for day in (1, 2):
        append_run(tmp_path, facts(day))
    file = tmp_path / FILE
    whole = file.read_bytes()
    cut = whole[:-25]
    file.write_bytes(cut)
    found = read_history(tmp_path)
    assert [run.time[8:10] for run in found.runs] == ["01"]
    assert len(found.damaged) == 1
    assert f"{FILE}:2: left out, cut off or damaged" in found.damaged[0]
    append_run(tmp_path, facts(3))
    assert file.read_bytes().startswith(cut + b"\n{")
    found = read_history(tmp_path)
    assert [run.time[8:10] for run in found.runs] == ["01", "03"]
    assert len(found.damaged) == 1


def test_a_first_line_that_was_cut_off(tmp_path: Path) -> None:
    """Nothing can be shown yet, but a run can be added."""
    (tmp_path / FILE).write_text('{"history":1,"ti')
    with pytest.raises(HistoryError, match="no run is in it"):
        read_history(tmp_path)
    assert append_run(tmp_path, facts(1)).runs == (facts(1),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read the history (No such file or directory); give the folder of nnvet run --history"),
        ("", "no run is in it"),
        ("nothing of ours\n", "no run is in it"),
        ('{"event": "run_started"}\n', ":1: not a run of a history: Object missing required field `history`"),
        ('{"history": 2}\n', ":1: not a run of a history: version 2, but this nnvet reads version 1"),
        ('{"history": 1}\n', ":1: not a run of a history: Object missing required field"),
        ("[1]\n", ":1: not a run of a history"),
    ],
)
def test_what_is_no_history(content: str | None, message: str, tmp_path: Path) -> None:
    """One line and exit code 2, of the command and, where something is there, of a run that is to be added."""
    folder = tmp_path / "h"
    if content is not None:
        folder.mkdir()
        (folder / FILE).write_text(content)
    result = nnvet("history", folder)
    assert result.exit_code == 2
    assert message in words(result)
    if content:
        result = nnvet("run", "--history", folder, "--only", "BasicTest/*", "--out", tmp_path / "out")
        assert result.exit_code == 2
        assert FILE in words(result)
        assert (folder / FILE).read_text() == content
        assert not (tmp_path / "out").exists()


def test_folders_that_cannot_be_made(tmp_path: Path) -> None:
    """That is said before the run begins."""
    (tmp_path / "file").write_text("")
    result = nnvet("run", "--history", tmp_path / "file", "--only", "BasicTest/*", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "cannot write the history" in words(result)
    assert not (tmp_path / "out").exists()


def _append_many(folder: Path, days: range) -> None:
    for day in days:
        append_run(folder, facts(day, "abcdefgh"))


def test_several_processes_add_at_once(tmp_path: Path) -> None:
    """Every run is there, each on its line."""
    context = multiprocessing.get_context("spawn")
    days = (range(1, 9), range(9, 17), range(17, 25))
    workers = [context.Process(target=_append_many, args=(tmp_path, some)) for some in days]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    lines = (tmp_path / FILE).read_text().splitlines()
    assert sorted(json.loads(line)["time"][8:10] for line in lines) == [f"{day:02}" for day in range(1, 25)]


def test_commands(tmp_path: Path) -> None:
    """A run is added with what it broke; the table has a line for each, and the page is where it is wanted."""
    driver = ("run", "-d", "reference", "--only", "BasicTest/*", "--history", tmp_path / "h", "--out")
    assert "the first run of this driver and selection" in words(nnvet(*driver, tmp_path / "one"))
    line = json.loads((tmp_path / "h" / FILE).read_text())
    earlier = line | {"time": "2020-01-01T00:00:00+00:00", "faults": {"f": {"verdict": "FAIL", "case": "a/b"}}}
    (tmp_path / "h" / FILE).write_text(json.dumps(earlier) + "\n")
    said = words(nnvet(*driver, tmp_path / "two"))
    assert "2 runs of this driver and selection; new failures: 0, fixed: 1" in said
    result = nnvet("history", tmp_path / "h", "--out", tmp_path / "page")
    assert result.exit_code == 0
    assert words(result).startswith(
        "nnvet-reference (reference), BasicTest/* date (UTC) version outcome PASS new fixed"
    )
    assert re.search(r"2020-01-01 00:00 \S+ no fault found \d+ 0 0 ", words(result))
    assert re.search(r" no fault found \d+ 0 1 page: ", words(result))
    assert (tmp_path / "page" / "history.html").is_file()
    assert "before these: 1; --last shows more" in words(nnvet("history", tmp_path / "h", "--last", "1"))


def ten_runs() -> list[RunFacts]:
    """Of ten days: a fault on the 3rd to 5th, one since the 8th; a model that becomes a hundred times as fast."""
    failing = ["", "", "a", "a", "a", "", "", "b", "b", "b"]
    return [
        facts(day, failing[day - 1], models={} if day == 4 else {"net": 0.1 if day < 6 else 0.001})
        for day in range(1, 11)
    ]


def test_ten_runs_make_a_page(tmp_path: Path) -> None:
    """Columns, lines with a gap, a logarithmic axis, and when each failure was there."""
    for run in ten_runs():
        append_run(tmp_path, run)
    page = render_history(read_history(tmp_path))
    assert "History of 10 runs" in page
    # A column for each run: of PASS, and of FAIL, of which four days have none.
    assert page.count("<rect ") == 20
    assert page.count('height="0.0" class="column fail"') == 4
    # The fourth run has no figure: two lines and nine points for each of two charts; 100 ms and 1 ms are the ends.
    assert (page.count("<polyline "), page.count("<circle ")) == (4, 18)
    assert "logarithmic" in page
    ends = re.findall(r'text-anchor="end">([\d.]+) ms</text>', page)
    assert [float(end) for end in ends] == [100.0, 1.0]
    periods = re.findall(r'<td class="when">(.*?)</td>', page)
    assert periods == ["since 2026-11-08 06:00", "2026-11-03 06:00 to 2026-11-05 06:00"]
    assert "1 open failure." in page
    for url in ("http:", "https:", "src="):
        assert url not in page.replace("http-equiv", "")


def test_the_page_shows_texts_of_drivers_as_they_are() -> None:
    """None of them is taken for markup."""
    run = facts(1, "a", selector=INJECTION, selection=(INJECTION,), models={INJECTION: 0.5})
    page = render_history_of(run)
    assert INJECTION not in page
    assert html.escape(INJECTION, quote=False).replace("'", "&#39;") in page


def render_history_of(*runs: RunFacts) -> str:
    """The page of some runs."""
    return render_history(History(Path("history.jsonl"), runs))


@pytest.mark.parametrize("count", [1, 2, 61, 400])
def test_pages_of_few_and_many_runs(count: int) -> None:
    """At most sixty runs are drawn, and the page says so."""
    runs = [facts(1 + place % 28, models={"net": 0.0}) for place in range(count)]
    page = render_history_of(*runs)
    # Of latency, and of accuracy.
    assert page.count("<circle ") == 2 * min(count, 60)
    assert ("the last 60 of which are shown" in page) is (count > 60)


def test_pages_of_drivers_with_many_failures() -> None:
    """Three hundred failures are listed, those of the last run first, and the page says how many more there are."""
    fault = KnownFault(Verdict.FAIL, "case", "rule")
    runs = [replace(facts(day), faults={f"{day}-{key}": fault for key in range(200)}) for day in (1, 2)]
    page = render_history_of(*runs)
    assert (page.count("since 2026-11-02"), page.count(">2026-11-01 06:00</td>")) == (200, 100)
    assert "And 100 more" in page
    assert (">+200<" in page, ">−200<" in page) == (True, True)  # noqa: RUF001 - the minus sign of the page


@pytest.mark.long
def test_a_run_that_is_stopped_is_not_whole(tmp_path: Path) -> None:
    """Nothing is known of cases after a run's first failure, of shards neither."""
    run = ("run", "-d", "zoo:cache-read-twice", "--suite", "CompilationCachingTest", "--history", tmp_path / "h")
    assert nnvet(*run, "--max-failures", "1", "--out", tmp_path / "out").exit_code == 1
    assert [run.is_whole for run in read_history(tmp_path / "h").runs] == [False]
    for shard in ("1", "2"):
        nnvet(*run[:-2], "--max-failures", "1", "--shard", f"{shard}/2", "--out", tmp_path / shard)
    nnvet("report", tmp_path / "1", tmp_path / "2", "--out", tmp_path / "all", "--history", tmp_path / "shards")
    assert [run.is_whole for run in read_history(tmp_path / "shards").runs] == [False]


def test_links_to_series_of_one_driver() -> None:
    """They have the selection besides."""
    page = render_history_of(facts(1), facts(2, selection=("x/*",)), facts(3, selector="other"))
    assert re.findall(r'<a href="#series-\d">(.*?)</a>', page) == ["other", "acme, x/*", "acme, usual executors"]


def test_shards_as_one_run(tmp_path: Path) -> None:
    """The reports of shards put together go into a history as the whole run."""
    for shard in ("1", "2"):
        nnvet("run", "--only", "BasicTest/*", "--shard", f"{shard}/2", "--out", tmp_path / shard)
    out = ("--out", tmp_path / "whole", "--history", tmp_path / "h")
    assert nnvet("report", tmp_path / "1", tmp_path / "2", *out).exit_code == 0
    (run,) = read_history(tmp_path / "h").runs
    assert (run.shard, run.is_whole, run.outcome) == ("1/1", True, "no fault found")


SCRIPTS_TOO = "script-src 'unsafe-inline'; style-src"
"""The page itself allows no script; the probes are some."""

PROBE = """<script>
  const line = (name, value) => {
    const one = document.createElement("output");
    one.id = "probe-" + name;
    one.textContent = value;
    document.body.append(one);
  };
  line("title", document.title);
  line("requests", performance.getEntriesByType("resource").length);
  line("unnamed", [...document.querySelectorAll("svg")].filter((one) => !one.getAttribute("aria-label")).length);
  const inside = [...document.querySelectorAll("svg")].every((one) => {
    const frame = one.getBoundingClientRect();
    return [...one.querySelectorAll("rect, circle, polyline, text")].every((part) => {
      const box = part.getBoundingClientRect();
      return box.left >= frame.left - 1 && box.right <= frame.right + 1
        && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
    });
  });
  line("inside", inside);
  line("wide", document.documentElement.scrollWidth <= innerWidth);
  line("bars", [...document.querySelectorAll("rect")].filter((one) => one.getBoundingClientRect().height > 1).length);
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page is not drawn")
def test_the_page_in_a_browser(tmp_path: Path) -> None:
    """Nothing is loaded, every chart has a name for screen readers, and nothing is cut or wider than the window."""
    page = tmp_path / "history.html"
    text = render_history_of(*ten_runs()).replace("style-src", SCRIPTS_TOO)
    page.write_text(text + PROBE, encoding="utf-8")
    dom = document(page)
    assert probe(dom, "title") == ["History of 10 runs · nnvet"]
    assert probe(dom, "requests") == ["0"]
    assert probe(dom, "unnamed") == ["0"]
    assert probe(dom, "inside") == ["true"]
    assert probe(dom, "wide") == ["true"]
    # Ten of PASS and the six of FAIL that are not zero.
    assert probe(dom, "bars") == ["16"]


PAPER_PROBE = """<script>
  const line = document.createElement("output");
  line.id = "probe-cut";
  const cut = [...document.querySelectorAll(".scroll")].filter((one) => one.scrollWidth > one.clientWidth);
  line.textContent = cut.map((one) => `${one.firstElementChild.className} ${one.scrollWidth} > ${one.clientWidth}`);
  document.body.append(line);
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page is not drawn")
def test_tables_fit_on_paper(tmp_path: Path) -> None:
    """With the rules for print, no table is wider than A4 between margins of 12 mm (186 mm), sixty runs or ten."""
    counts = dict.fromkeys(Verdict, 10_000)
    name = "GeneratedTest/burst/depthwise_conv2d_quant8_signed_per_channel"
    faults = {"0123456789ab": KnownFault(Verdict.CRASH, name, "DEPTHWISE_CONV_2D/output.value", 12)}
    some = [replace(facts(1 + day % 28), counts=counts, faults=faults if day % 3 else {}) for day in range(60)]
    text = render_history_of(*some).replace("@media print", "@media screen").replace("style-src", SCRIPTS_TOO)
    page = tmp_path / "history.html"
    page.write_text(text.replace("<body ", '<body style="width: 186mm" ') + PAPER_PROBE, encoding="utf-8")
    assert probe(document(page), "cut") == [""]
