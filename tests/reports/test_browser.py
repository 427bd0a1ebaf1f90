"""Tests of the HTML report's script in a real browser; skipped where Chromium is not installed.

Each test appends a script of its own to the page, the probe. The probe uses the page as a user would and notes what it
sees in elements of the document, which Chromium prints.
"""

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from nnvet.hal.enums import OperandType
from nnvet.reports.events import RunStarted, Verdict
from nnvet.reports.html.groups import build_sections
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, read_log

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page's script is not tested")

PROBE = """<script>
  const text = (selector) => [...document.querySelectorAll(selector)].map((node) => node.textContent.trim());
  const press = (selector) => document.querySelector(selector).click();
  const note = (name, value) => {
    const line = document.createElement("output");
    line.id = "probe-" + name;
    line.textContent = [].concat(value).join("|");
    document.body.append(line);
  };
  const cases = () => text("#rows tr td:nth-child(2)");
  note("title", document.title);
  note("all", text("#found"));
  press('[data-filter*="CONV_2D"][data-filter*="TENSOR_FLOAT32"]');
  note("cell", cases());
  press("#rows tr button");
  press("#rows tr:last-child button");
  note("details", text("#rows tr.detail dd"));
  press(".chip");
  note("unfiltered-type", cases());
  press('.total.crash');
  note("crash", [...text("#found"), ...cases()]);
  document.querySelectorAll(".chip").forEach((chip) => chip.click());
  const search = document.getElementById("search");
  search.value = "GRÖSSE vts".replace("SS", "ß");
  search.dispatchEvent(new Event("input"));
  note("search", cases());
  document.getElementById("only-open").click();
  note("rows", text(".matrix tbody tr:not([hidden]) th"));
  dispatchEvent(new Event("beforeprint"));
  note("closed", document.querySelectorAll("details:not([open])").length);
</script>"""


@pytest.fixture
def dom(full_log: Path, tmp_path: Path) -> str:
    """HTML of the page after the probe has used it."""
    page = tmp_path / "report.html"
    page.write_text(render_page(read_log(full_log)) + PROBE, encoding="utf-8")
    return document(page)


def document(page: Path, address: str = "", width: int = 800, wait_ms: int = 0) -> str:
    """Return the HTML of a page after a browser has run its scripts.

    ``address`` is the part of the URL from ``#`` on, ``width`` that of the window in pixels. ``wait_ms`` is the time
    that scripts get, in the browser's virtual time, which skips idle periods.
    """
    command = [
        str(CHROMIUM),
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--dump-dom"),
        f"--window-size={width},900",
        *([f"--virtual-time-budget={wait_ms}"] if wait_ms else []),
        f"--user-data-dir={page.parent / 'profile'}",
        page.as_uri() + address,
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def probe(dom: str, name: str) -> list[str]:
    """Return the notes that the probe took under a name."""
    found = re.search(rf'<output id="probe-{name}">(.*?)</output>', dom, re.DOTALL)
    assert found, f"the page's script broke before the probe '{name}'"
    return html.unescape(found.group(1)).split("|")


def test_the_page_works_in_a_browser(dom: str) -> None:
    """Counts, matrix, filters, search, details and printing work, on a log with every verdict."""
    assert probe(dom, "title") == ["acme <b>npu</b>: not conformant · nnvet"]
    assert probe(dom, "all") == ["11 of 11 cases"]
    assert re.search(r'class="cell fault"[^>]*>✕ 1/3</button>', dom)
    assert probe(dom, "cell") == ["spec/conv/1", "spec/conv/f1", "spec/conv/f2"]
    details = probe(dom, "details")
    assert "CONV_2D/output.value" in details
    assert "Outputs equal the reference." in details
    assert any(text.startswith("</script><script>document.title='owned'") for text in details)
    assert probe(dom, "crash") == ["1 of 11 cases", "other/crash"]
    assert probe(dom, "search") == ["vts/model/größe"]
    assert probe(dom, "rows") == ["CONV_2D", "several operations"]
    assert probe(dom, "closed") == ["0"]


PLACES = """<script>
  addEventListener("load", () => {
    note("opened", [...document.querySelectorAll("details.group[open]")].map((group) => group.id));
    note("parts", document.querySelector("details.parts")?.open ?? "none");
    note("filtered", cases());
    note("chips", text(".chip"));
    note("links", [...document.querySelectorAll("a.here")].map((link) => link.getAttribute("href")));
  });
</script>"""
HELPERS = PROBE[: PROBE.index('  note("title"')] + "</script>"


def test_sections_groups_and_cases_have_addresses(tmp_path: Path, full_log: Path) -> None:
    """A link to a group opens it, or filters its cases if the page does not show it. Every part has such a link."""
    page = tmp_path / "report.html"
    log = read_log(full_log)
    page.write_text(render_page(log) + HELPERS + PLACES, encoding="utf-8")
    waived = next(section for section in build_sections(log) if section.id == "waived").groups[0]
    fault = log.results["spec/conv/f1"].fingerprint
    dom = document(page, f"#{waived.id}")
    assert waived.id in probe(dom, "opened")
    links = probe(dom, "links")
    assert {"#failures", "#matrix", "#cases", f"#group-{fault}", f"#{waived.id}"} <= set(links)
    assert "#cases?case=spec%2Fconv%2Ff1" in links
    assert waived.id not in probe(document(page, "#failures"), "opened")
    dom = document(page, "#cases?fingerprint=" + fault)
    assert probe(dom, "filtered") == ["spec/conv/f1", "spec/conv/f2"]
    dom = document(page, "#group-0123456789ab")
    assert probe(dom, "chips") == ["fingerprint: 0123456789ab ✕"]


def test_search_order_and_switch_have_addresses(tmp_path: Path, full_log: Path) -> None:
    """They are set from the address, and written into it."""
    page = tmp_path / "report.html"
    seen = """<script>
      addEventListener("load", () => {
        note("filtered", cases());
        note("order", document.getElementById("order").value);
        note("rows", text(".matrix tbody tr:not([hidden]) th"));
        document.getElementById("only-open").click();
        note("matrix", location.hash);
        const search = document.getElementById("search");
        search.value = "crash";
        search.dispatchEvent(new Event("input"));
        note("address", location.hash);
      });
    </script>"""
    page.write_text(render_page(read_log(full_log)) + HELPERS + seen, encoding="utf-8")
    dom = document(page, "#cases?verdict=FAIL&search=f2&order=name")
    assert (probe(dom, "filtered"), probe(dom, "order")) == (["spec/conv/f2"], ["name"])
    assert probe(dom, "matrix") == ["#matrix?only=open"]
    assert probe(dom, "address") == ["#cases?verdict=FAIL&search=crash&order=name"]
    assert probe(document(page, "#matrix?only=open"), "rows") == ["CONV_2D", "several operations"]


def test_the_matrix_fits_on_a_screen(tmp_path: Path, started: RunStarted) -> None:
    """At 1400 pixels the matrix shows all columns, even if the log has every tensor type and one of an extension."""
    kinds = [
        *(kind.name for kind in OperandType if kind.name.startswith("TENSOR_")),
        "com.acme.attention::TENSOR_BLOCKS",
    ]
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for kind in kinds:
            log.case_started(kind)
            labels = {"operations": "UNIDIRECTIONAL_SEQUENCE_LSTM", "operand_types": kind}
            log.case_finished(kind, Verdict.PASS, labels=labels)
    page = tmp_path / "report.html"
    measure = """<script>
      const frame = document.querySelector(".matrix-frame");
      note("columns", document.querySelectorAll(".matrix thead th").length);
      note("cut", frame.scrollWidth - frame.clientWidth);
      note("wide", document.documentElement.scrollWidth - innerWidth);
    </script>"""
    page.write_text(render_page(read_log(log.path)) + HELPERS + measure, encoding="utf-8")
    dom = document(page, width=1400)
    assert probe(dom, "columns") == [str(len(kinds) + 2)]
    assert probe(dom, "cut") == ["0"]
    assert int(probe(document(page, width=500), "wide")[0]) <= 0
