"""Pages in a headless Chromium, which tests open, look at and use: one browser for all tests of a module."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

needs_browser: Final = pytest.mark.skipif(
    CHROMIUM is None or find_spec("playwright") is None or find_spec("axe_playwright_python") is None,
    reason="Chromium, or what drives and examines it, is not installed: pages are not looked at",
)

WCAG: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")
DESK: Final = (1400, 900)
PHONE: Final = (360, 780)
WIDE: Final = (1920, 1080)
PAPER: Final = (720, 1020)
"""A4 less the margins, in CSS pixels."""

_TEXTS: Final = """() => {
  document.querySelectorAll("details:not(.family)").forEach((one) => { one.open = true; });
  const seen = (one) => one.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true })
    && !one.closest("select, .sr, [aria-hidden=true]");
  const scrolls = (one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  const words = (one) => one.textContent.trim().slice(0, 60);
  const clipped = [...document.querySelectorAll("body *")].filter((one) => seen(one) && words(one)
    && ["hidden", "clip"].includes(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth + 1
    && one.clientWidth > 1).map((one) => `clipped: ${words(one)}`);
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, parent = text.parentElement;
    if (!text.data.trim() || ["SCRIPT", "STYLE", "TITLE", "OPTION"].includes(parent.tagName) || !seen(parent)) continue;
    let holder = parent;
    while (holder && !scrolls(holder)) holder = holder.parentElement;
    const pinned = parent.closest("nav, thead, header");
    if (holder || (pinned && getComputedStyle(pinned).position !== "static")) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) if (box.width > 2 && box.height > 2) boxes.push([box, text.data.trim()]);
  }
  boxes.sort((one, other) => one[0].top - other[0].top);
  const over = [];
  boxes.forEach(([box, text], place) => {
    for (const [other, more] of boxes.slice(place + 1)) {
      if (other.top >= box.bottom - 3) break;
      const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
      const down = Math.min(box.bottom, other.bottom) - other.top;
      if (across > 3 && down > 0.4 * Math.min(box.height, other.height)) {
        over.push(`overlapping: ${text.slice(0, 40)} | ${more.slice(0, 40)}`);
      }
    }
  });
  return [...clipped, ...over];
}"""
"""Texts that are cut by the element that holds them, or lie over each other; tables that scroll are left out."""


@dataclass
class Sight:
    """One page of a browser, with its network requests and the errors of its scripts."""

    page: "Page"
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def open(
        self,
        path: Path,
        address: str = "",
        size: tuple[int, int] = DESK,
        scheme: Literal["light", "dark"] = "light",
        media: Literal["screen", "print"] = "screen",
    ) -> "Page":
        """Load a page from its file, at an address within it, as seen by a reader of some screen or paper."""
        self.page.goto("about:blank")
        self.requests.clear()
        self.errors.clear()
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.page.emulate_media(media=media, color_scheme=scheme)
        self.page.goto(path.resolve().as_uri() + address)
        return self.page

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements of a selector, blanks folded."""
        return [" ".join(text.split()) for text in self.page.locator(selector).all_text_contents()]

    def is_visible(self, selector: str) -> bool:
        """Return True if the first element of a selector can be seen: neither folded nor scrolled out of the view."""
        return self.page.locator(selector).first.is_visible()

    @property
    def excess(self) -> int:
        """Number of pixels by which the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))

    def hidden_texts(self) -> list[str]:
        """Texts that cannot be read, all folds open: cut off, or over each other."""
        found: list[str] = self.page.evaluate(_TEXTS)
        return found

    def violations(self, *rules: str) -> list[str]:
        """Return axe-core's findings against WCAG 2.1 A and AA, or some of its rules: each rule and its place."""
        from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - where it is not installed, tests skip

        only = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": WCAG}
        found = Axe().run(self.page, options={"runOnly": only, "resultTypes": ["violations"]}).response["violations"]
        return [f"{violation['id']}: {_place(node)}" for violation in found for node in violation["nodes"]]


def _place(node: dict[str, Any]) -> str:
    return f"{node['target']} {node['html'][:120]} {node.get('failureSummary', '')[:200]}"


@contextmanager
def sight() -> Iterator[Sight]:
    """A browser as long as the block."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - where it is not installed, tests skip

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        seen = Sight(browser.new_page())
        seen.page.on("request", lambda request: seen.requests.append(request.url))
        seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
        yield seen
        browser.close()
