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
PAPER: Final = (720, 1020)
"""A4 less the margins, in CSS pixels."""


@dataclass
class Sight:
    """One page of a browser, with all that it asked of the network and all errors of its scripts."""

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
