"""Pictures of reports in ``docs/images``: ``python -m docs.pictures`` makes them anew, with Chromium and Pillow."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image, ImageChops

from nnvet.reports.fingerprint import fingerprint
from nnvet.reports.log import read_run
from nnvet.reports.outcome import failed_cases

DOCS: Final = Path(__file__).parent
COLOURS: Final = 48
WIDTH, HEIGHT, MARGIN = 1100, 1600, 16
"""Of the window, and what is left below the fault, in pixels."""
ALONE: Final = """<style>*, ::details-content { animation: none !important; transition: none !important }</style>
<script>
  for (let node = document.getElementById("group-%s"); node !== document.body; node = node.parentElement) {
    if (node.tagName === "DETAILS") node.open = true;
    for (const other of [...node.parentElement.children]) if (other !== node) other.remove();
  }
</script>"""
"""Takes away all of a page but a group of failures."""


class Picture(NamedTuple):
    """A fault in a report: the name of the picture, and the driver and cases that it is of."""

    name: str
    driver: str
    only: str


PICTURES: Final = (
    Picture("what-now-fail", "Forgets", "GeneratedTest/sync/add_float_activation_*"),
    Picture("what-now-crash", "Dies", "GeneratedTest/sync/add_float_activation_relu6"),
)


def take(picture: Picture, folder: Path) -> None:
    """Run the driver on the case, and take a picture of the first fault in the report."""
    selector = f"python:docs/examples/wrong_drivers.py:{picture.driver}"
    command = [sys.executable, "-m", "nnvet.commands", "run", "-d", selector, "--only", picture.only, "--out", folder]
    subprocess.run(command, cwd=DOCS.parent, check=False, stdout=subprocess.DEVNULL)
    fault = fingerprint(failed_cases(read_run(folder))[0])
    report, shot = folder / "report.html", folder / "shot.png"
    page = report.read_text(encoding="utf-8").replace(f"{DOCS.parent}/", "")
    report.write_text(page + ALONE % fault, encoding="utf-8")
    browser = shutil.which("chromium") or shutil.which("google-chrome") or "chromium"
    options = (
        "--headless=new",
        "--no-sandbox",
        "--hide-scrollbars",
        "--force-prefers-reduced-motion",
        "--virtual-time-budget=8000",
    )
    window = (f"--window-size={WIDTH},{HEIGHT}", f"--user-data-dir={folder / 'profile'}", f"--screenshot={shot}")
    subprocess.run([browser, *options, *window, report.as_uri()], check=True, stderr=subprocess.DEVNULL)
    with Image.open(shot) as image:
        whole = image.convert("RGB")
    ground = Image.new("RGB", whole.size, whole.getpixel((0, HEIGHT - 1)))
    _, _, _, end = ImageChops.difference(whole, ground).getbbox() or (0, 0, 0, HEIGHT)
    cut = whole.crop((0, 0, WIDTH, min(end + MARGIN, HEIGHT)))
    cut.quantize(COLOURS).save(DOCS / "images" / f"{picture.name}.png", optimize=True)


def main() -> None:
    """Take all pictures."""
    for picture in PICTURES:
        with tempfile.TemporaryDirectory() as folder:
            take(picture, Path(folder))


if __name__ == "__main__":
    main()
