"""Pages as readers meet them: on a desk, a phone, in the dark, on paper, with keys alone, with a screen reader.

All in one Chromium; skipped where it, or what drives and examines it, is not installed.
"""

from pathlib import Path

import pytest

from nnvet.reports.events import DriverFacts, RunStarted
from tests.reports.chromium import DESK, PAPER, PHONE, WIDE, Sight, needs_browser
from tests.reports.pages import write_pages

pytestmark = needs_browser

PAGES = ("report", "history", "diff", "scoreboard", "bench", "upgrade", "partition", "locate", "releases", "many")
KEYBOARD = """() => {
  const style = getComputedStyle(document.activeElement);
  return [document.activeElement.dataset.stop ?? "none", style.outlineStyle !== "none" && style.outlineWidth !== "0px"];
}"""
STOPS = """() => {
  const inView = (one) => one.checkVisibility() && !one.closest("[hidden]");
  const all = [...document.querySelectorAll("a[href], button, summary, input, select, [tabindex='0']")].filter(inView);
  all.forEach((one, place) => { one.dataset.stop = place; });
  return all.length;
}"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One page of each kind."""
    facts = DriverFacts("acme", "acme npu", "2.4.1", "ACCELERATOR", 7)
    return write_pages(tmp_path_factory.mktemp("pages"), RunStarted("0.1.0", facts, "2025-11-21T06:00:00Z"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PAGES[:-1])
def test_no_barrier_is_found(reader: Sight, pages: dict[str, Path], name: str) -> None:
    """axe-core has nothing against WCAG 2.1 A and AA, folds open (one family will do); the dark has other contrasts."""
    for scheme, rules in (("light", ()), ("dark", ("color-contrast",))):
        page = reader.open(pages[name], scheme=scheme)
        page.evaluate("document.querySelectorAll('details:not(.family)').forEach((one) => { one.open = true; })")
        assert reader.violations(*rules) == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_loaded_and_nothing_sticks_out(reader: Sight, pages: dict[str, Path], name: str) -> None:
    """One request, for the page itself; no script fails; a phone and a desk need no scrolling to the side."""
    for size in (PHONE, DESK):
        reader.open(pages[name], size=size)
        assert reader.requests == [pages[name].as_uri()]
        assert reader.errors == []
        assert reader.excess <= 0


@pytest.mark.long
@pytest.mark.parametrize("name", PAGES)
def test_all_texts_can_be_read(reader: Sight, pages: dict[str, Path], name: str) -> None:
    """None is cut off and none lies over another, on a phone, a desk, a wide screen and on paper."""
    for size, media in ((PHONE, "screen"), (DESK, "screen"), (WIDE, "screen"), (PAPER, "print")):
        reader.open(pages[name], size=size, media=media)
        assert reader.hidden_texts() == [], size


def test_the_check_of_texts_finds_what_is_hidden(reader: Sight, tmp_path: Path) -> None:
    """A word that is cut off, and two in one place; not two side by side."""
    page = tmp_path / "page.html"
    page.write_text(
        "<p style='width:40px;overflow:hidden;white-space:nowrap'>a sentence that is cut</p><p>one <b>two</b></p>"
        "<div style='position:absolute;top:200px'>first words</div>"
        "<div style='position:absolute;top:202px'>second</div>"
    )
    reader.open(page)
    assert reader.hidden_texts() == ["clipped: a sentence that is cut", "overlapping: first words | second"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PAGES[:-1])
def test_keys_reach_everything(reader: Sight, pages: dict[str, Path], name: str) -> None:
    """Tab comes to all that can be pressed or scrolled, in order, and where it is can be seen."""
    page = reader.open(pages[name])
    stops = page.evaluate(STOPS)
    reached = []
    for _ in range(stops):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(KEYBOARD))
    assert [stop for stop, is_seen in reached if not is_seen] == []
    assert [int(stop) for stop, _ in reached] == list(range(stops))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PAGES)
def test_charts_have_names(reader: Sight, pages: dict[str, Path], name: str) -> None:
    """Every drawing is either said to be an image, with words for it, or hidden from screen readers."""
    page = reader.open(pages[name])
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("svg, [role=img]")]
          .filter((one) => !one.closest("[aria-hidden=true]"))
          .filter((one) => one.getAttribute("role") !== "img" || !one.getAttribute("aria-label")?.trim())
          .map((one) => one.outerHTML.slice(0, 200))"""
    )
    assert unnamed == []
    headless = "(all) => all.filter((one) => !one.querySelector('th[scope]')).map((one) => one.outerHTML.slice(0, 200))"
    assert page.locator("table").evaluate_all(headless) == []


def test_dark_and_light_differ(reader: Sight, pages: dict[str, Path]) -> None:
    """The page follows what the reader prefers."""
    shades = []
    for scheme in ("light", "dark"):
        page = reader.open(pages["report"], scheme=scheme)
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        shades.append(sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(","))))
    assert shades[0] > 700
    assert shades[1] < 100


def test_the_first_screen_says_what_matters(reader: Sight, pages: dict[str, Path]) -> None:
    """Verdict, how much was judged and what is new are above the fold, on a desk and on a phone."""
    for size in (DESK, PHONE):
        page = reader.open(pages["report"], size=size)
        assert reader.texts("#outcome") == ["Not conformant"]
        (judged,) = reader.texts("#judged ul")
        assert "operations judged" in judged
        assert reader.texts("#since b") == ["✕ 1 new"]
        for selector in ("#outcome", "#since", "#judged"):
            box = page.locator(selector).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= size[1]


def test_a_link_to_what_is_new_leads_there(reader: Sight, pages: dict[str, Path]) -> None:
    """The group of the failure opens, and is marked."""
    page = reader.open(pages["report"])
    page.click("#since a[href^='#group-']")
    group = page.locator(page.evaluate("location.hash"))
    assert group.evaluate("(one) => one.open")
    assert group.locator(".new").inner_text() == "new"
    assert group.locator("code.rule").inner_text() == "MUL/output.value"


def test_all_models_are_on_one_screen(reader: Sight, pages: dict[str, Path]) -> None:
    """A benchmark of twelve models begins with verdict, standings, chart and figures; forty on three fit the next."""
    for name, screens in (("bench", 1), ("many", 1.5)):
        page = reader.open(pages[name])
        end = page.locator(".overview tbody tr").last.bounding_box()
        assert end is not None
        assert end["y"] + end["height"] <= screens * DESK[1]
        assert pages[name].stat().st_size < 3_000_000
    assert len(reader.texts(".overview tbody tr")) == 40
    assert reader.texts(".overview .toy") == ["toy"]


def test_a_model_of_the_chart_leads_to_its_figures(reader: Sight, pages: dict[str, Path]) -> None:
    """Its family is folded, and opens; a family with a failure is open from the start."""
    page = reader.open(pages["many"])
    folded = page.locator("details.family:not([open]) tbody[id^='model-']").first.get_attribute("id")
    page.click(f".overview a[href='#{folded}']")
    assert reader.is_visible(f"#{folded}")
    assert page.locator("details.family[open] tr.failed").count() > 0


CUT = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.outerHTML.slice(0, 99))"
FRAMES = ".scroll, .matrix-frame"


def test_paper_has_everything_but_what_is_pressed(reader: Sight, pages: dict[str, Path]) -> None:
    """Filters, links of the head and the table of cases are gone, a note stands for it, and folds open."""
    page = reader.open(pages["report"], size=PAPER, media="print")
    for selector in ("nav", ".controls", ".chips", "#case-table", ".copy", ".switch", ".skip"):
        assert not reader.is_visible(selector), selector
    assert reader.is_visible("#cases .print-only")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PAGES)
def test_no_table_is_cut(reader: Sight, pages: dict[str, Path], name: str) -> None:
    """Neither on paper, with everything unfolded, nor on a screen of 1400 pixels."""
    for size, media in ((PAPER, "print"), (DESK, "screen")):
        page = reader.open(pages[name], size=size, media=media)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.locator(FRAMES).evaluate_all(CUT) == []
        assert reader.excess <= 0


def test_a_cell_of_the_scoreboard_leads_to_its_cases(reader: Sight, pages: dict[str, Path]) -> None:
    """By keys alone: an operation unfolds into its types, and a cell opens the report with its cases filtered."""
    page = reader.open(pages["scoreboard"])
    conv = page.locator("#operation-table .unfold", has_text="CONV_2D")
    conv.focus()
    page.keyboard.press("Enter")
    assert conv.get_attribute("aria-expanded") == "true"
    page.locator("tr.kind:not([hidden]) a.cell.fault").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#rows tr")
    assert reader.texts(".chip") == ["operation: CONV_2D ✕", "type: TENSOR_FLOAT32 ✕"]
    assert reader.texts("#rows tr td:nth-child(2)") == ["spec/conv/1", "spec/conv/f1", "spec/conv/f2"]


def test_a_model_of_the_scoreboard_leads_to_its_figures(reader: Sight, pages: dict[str, Path]) -> None:
    """Latency and accuracy of the drivers stand side by side, the faster one marked; a cell opens the family."""
    page = reader.open(pages["scoreboard"])
    row = page.locator(".times tbody tr", has_text="network_b_int8_288")
    _, fast, slow = (" ".join(cell.split()) for cell in row.locator("td:not(.family)").all_inner_texts())
    assert "fastest" in fast
    assert "fastest" not in slow
    assert fast.endswith("kept 69.8 % -0.20 pp top 1")
    row.locator("a").last.click()
    page.wait_for_url("**/slow/report.html#model-network_b_int8_288")
    assert reader.is_visible("#model-network_b_int8_288")
