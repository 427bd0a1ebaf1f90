"""Several runs side by side: the page, the folder, and what its script shows."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.reports.events import DriverFacts, Measurement, RunStarted, Verdict
from nnvet.reports.figures import summarise
from nnvet.reports.html.marks import DASH, TIMES
from nnvet.reports.html.page import render_page
from nnvet.reports.html.scoreboard import render_scoreboard
from nnvet.reports.log import EventLog, Log, read_log
from nnvet.reports.render import write_scoreboard
from tests.commands.test_utilities import nnvet, words
from tests.reports.test_browser import CHROMIUM, document, probe

SELECTORS = ("good", "bad:<i>")
TIME = "2025-11-21T09:41:07Z"


@pytest.fixture
def logs(tmp_path: Path) -> list[Log]:
    """ADD in two types and ABS: one driver is right, the other claims ADD alone and fails in one type."""
    verdicts = {
        SELECTORS[0]: {"a/float32": Verdict.PASS, "a/quant8": Verdict.PASS, "b/float32": Verdict.PASS},
        SELECTORS[1]: {"a/float32": Verdict.PASS, "a/quant8": Verdict.FAIL, "b/float32": Verdict.UNSUPPORTED},
    }
    types = {"float32": "TENSOR_FLOAT32", "quant8": "TENSOR_QUANT8_ASYMM"}
    found = []
    for selector, cases in verdicts.items():
        path = tmp_path / f"{len(found)}" / "run.jsonl"
        path.parent.mkdir()
        with EventLog.create(path, RunStarted("0.1.0", DriverFacts(selector, name="same"), TIME)) as log:
            for case, verdict in cases.items():
                operation, kind = case.split("/")
                labels = {"operations": ["ADD" if operation == "a" else "ABS"], "operand_types": [types[kind]]}
                log.case_started(case)
                log.case_finished(case, verdict, rule="r" if verdict is Verdict.FAIL else "", labels=labels)
            log.measurement(Measurement("net", "LiteRT", summarise([0.002])))
            log.measurement(Measurement("net", f"nnvet:{selector}", summarise([0.001 if found else 0.25])))
            log.finish(1 if Verdict.FAIL in cases.values() else 0)
        found.append(read_log(path))
    return found


def rows(page: str) -> list[list[str]]:
    """The texts of the cells of all rows of operations and types, by row."""
    table = page.partition('id="operation-table"')[2].partition("</table>")[0]
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in table.split("<tr")[2:]]
    return [[re.sub("<[^>]*>", "", cell).strip() for cell in row] for row in cells]


def test_operations_by_driver(logs: list[Log]) -> None:
    """Of each operation and type what passed, driver by driver, with the address of the cases."""
    page = render_scoreboard([("one", logs[0]), ("two", logs[1])])
    assert rows(page) == [
        ["ABS", "✓ 1", f"{DASH} 1"],
        ["TENSOR_FLOAT32", "✓ 1", f"{DASH} 1"],
        ["ADD", "✓ 2", "✕ 1/2"],
        ["TENSOR_FLOAT32", "✓ 1", "✓ 1"],
        ["TENSOR_QUANT8_ASYMM", "✓ 1", "✕ 0/1"],
    ]
    assert 'href="two/report.html#cases?operation=ADD&amp;type=TENSOR_QUANT8_ASYMM"' in page
    assert page.count('data-differs="yes"') == 2


def test_drivers_and_latency(logs: list[Log]) -> None:
    """Drivers of one name have their selectors; operations right, with faults; speeds beside LiteRT."""
    page = render_scoreboard([("one", logs[0]), ("two", logs[1])])
    assert ">good</a>" in page
    assert ">bad:&lt;i&gt;</a>" in page
    numbers = re.findall(r'<strong>(\d+)</strong></td>\s*<td class="num">(\d+)</td>\s*<td class="num">(\d+)</td>', page)
    assert numbers == [("2", "0", "0"), ("0", "1", "1")]
    times = page.partition('class="times"')[2]
    assert "250.0 ms" in times
    assert f"0.008{TIMES} LiteRT" in times
    assert f"2.00{TIMES} LiteRT" in times
    assert times.count("fastest") == 2
    assert 'class="time fastest" style="width: 40.1%"' in times
    assert 'href="two/report.html#model-net"' in times
    # A decade is a quarter of the width: 250 is 10^2.398.
    assert re.findall(r"width: ([\d.]+)%", times) == ["100.0", "40.1"]
    assert 'id="differences"' not in page


def test_who_computed_and_grades(logs: list[Log], tmp_path: Path) -> None:
    """An accelerator's name is beside its driver and in hints of cells; grades are below types, and counted."""
    log, path = logs[0], tmp_path / "npu.jsonl"
    with EventLog.create(path, log.started) as written:
        for case, evidence, by in (
            ("b/1", {"positions": {"ABS TENSOR_FLOAT32": {"ieee-strict": 2.0, "tf32": 0.5}}}, "NPU"),
            ("b/2", {}, "CPU"),
        ):
            labels = {"operations": ["ABS"], "operand_types": ["TENSOR_FLOAT32" if evidence else "TENSOR_INT32"]}
            written.case_started(case)
            written.case_finished(case, Verdict.PASS, labels=labels, evidence=evidence, computed_by=by)
        written.finish(0)
    page = render_scoreboard([("one", read_log(path)), ("two", logs[1])])
    assert rows(page)[:3] == [
        ["ABS", "✓ 2", f"{DASH} 1"],
        ["TENSOR_FLOAT32", "✓ 1tf32", f"{DASH} 1"],
        ["TENSOR_INT32", "✓ 1", ""],
    ]
    assert page.count("computed by CPU, NPU") == 2  # beside the driver, and in the cell of all types
    assert "ABS with TENSOR_FLOAT32: 1 PASS; computed by NPU; strictest position kept: tf32" in page
    grades = page.partition('id="grades"')[2].partition("</table>")[0]
    assert re.findall(r"<td[^>]*>(.*?)</td>", grades) == [
        "0 of 1",
        "1 of 1",
        *([f'<span class="muted">{DASH}</span>'] * 2),
    ]
    assert 'href="one/report.html#positions"' in grades
    assert 'id="grades"' not in render_scoreboard([("one", logs[0]), ("two", logs[1])])


def test_what_makes_runs_hard_to_compare(logs: list[Log], make_log: Callable[..., Path]) -> None:
    """Other versions, selections or machines are named."""
    other = read_log(make_log({"a": Verdict.PASS}))
    started = RunStarted("0.2.0", other.started.driver, TIME, selection=("x/*",))
    path = logs[0].path.parent / "other.jsonl"
    with EventLog.create(path, started) as log:
        log.finish(0)
    page = render_scoreboard([("one", logs[0]), ("two", read_log(path))])
    assert "versions of nnvet: 0.1.0, 0.2.0" in page.lower()
    assert "selections:" in page.lower()


def test_the_folder_can_be_published(logs: list[Log], tmp_path: Path) -> None:
    """Every link leads to a file beside the page; runs that lie there already are not written again."""
    page = write_scoreboard(logs, tmp_path / "board")
    targets = set(re.findall(r'href="([^"#]+)', page.read_text()))
    assert targets == {"good/report.html", "bad__i_/report.html"}
    assert all((page.parent / target).is_file() for target in targets)
    beside = write_scoreboard(logs, tmp_path)
    assert set(re.findall(r'href="([^"#]+)', beside.read_text())) == {"0/report.html", "1/report.html"}
    assert not (tmp_path / "0" / "report.html").exists()


def test_command(logs: list[Log], tmp_path: Path) -> None:
    """Logs or folders; what is no log is named."""
    out = tmp_path / "board"
    result = nnvet("scoreboard", logs[0].path, logs[1].path.parent, "--out", out)
    assert (result.exit_code, words(result)) == (0, f"scoreboard: {out / 'index.html'}")
    result = nnvet("scoreboard", tmp_path / "absent", "--out", out)
    assert result.exit_code == 2
    assert "absent" in words(result)


PROBE = """<script>
  const rows = "#operation-table tbody:not([hidden]) tr:not([hidden]) th";
  const shown = () => [...document.querySelectorAll(rows)].map((one) => one.textContent);
  const note = (name, value) => {
    const line = document.createElement("output");
    line.id = "probe-" + name;
    line.textContent = value.join("|");
    document.body.append(line);
  };
  note("folded", shown());
  document.querySelectorAll(".unfold")[1].click();
  note("unfolded", shown());
  document.getElementById("only-different").click();
  note("different", shown());
  note("requests", performance.getEntriesByType("resource").map((one) => one.name));
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page's script is not tested")
def test_the_page_in_a_browser(logs: list[Log], tmp_path: Path) -> None:
    """Types unfold, operations in which no driver differs hide, and nothing is loaded."""
    same = (("one", logs[0]), ("two", logs[0]))
    page = tmp_path / "index.html"
    page.write_text(render_scoreboard((("one", logs[0]), ("two", logs[1]))) + PROBE, encoding="utf-8")
    dom = document(page)
    assert probe(dom, "folded") == ["ABS", "ADD"]
    assert probe(dom, "unfolded") == ["ABS", "ADD", "TENSOR_FLOAT32", "TENSOR_QUANT8_ASYMM"]
    assert probe(dom, "different") == ["ABS", "ADD", "TENSOR_FLOAT32", "TENSOR_QUANT8_ASYMM"]
    assert probe(dom, "requests") == [""]
    page.write_text(render_scoreboard(same) + PROBE, encoding="utf-8")
    assert probe(document(page), "different") == [""]


ADDRESS_PROBE = """<script>
  const line = document.createElement("output");
  line.id = "probe-found";
  line.textContent = [...document.querySelectorAll("#rows tr td:nth-child(2)")].map((one) => one.textContent).join("|");
  document.body.append(line);
  const opened = document.createElement("output");
  opened.id = "probe-details";
  opened.textContent = document.querySelectorAll("#rows tr.detail").length;
  document.body.append(opened);
</script>"""


@pytest.mark.sampled(5)
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page's script is not tested")
@pytest.mark.parametrize(
    ("address", "found", "opened"),
    [
        ("#cases?operation=ADD&type=TENSOR_QUANT8_ASYMM", ["a/quant8"], "0"),
        ("#cases?verdict=PASS", ["a/float32"], "0"),
        ("#cases?case=a%2Fquant8", ["a/quant8"], "1"),
        ("#cases?nonsense=1", ["a/float32", "a/quant8", "b/float32"], "0"),
        ("#cases", ["a/float32", "a/quant8", "b/float32"], "0"),
    ],
)
def test_filters_of_a_report_have_addresses(
    logs: list[Log], tmp_path: Path, address: str, found: list[str], opened: str
) -> None:
    """A link of the scoreboard leads to the cases of an operation and type, of a verdict, or to one, unfolded."""
    page = tmp_path / "report.html"
    page.write_text(render_page(logs[1]) + ADDRESS_PROBE, encoding="utf-8")
    dom = document(page, address)
    assert probe(dom, "found") == found
    assert probe(dom, "details") == [opened]
