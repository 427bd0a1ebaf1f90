"""Opens a page in the user's browser, as ``xdg-open`` does."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final, TextIO

_DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY")


def somebody_looks(console: TextIO) -> bool:
    """Return True if a user sits at a screen that shows pages: the console is a terminal, and there is a display."""
    return console.isatty() and _has_display() and shutil.which("xdg-open") is not None


def open_page(page: Path) -> str:
    """Hand a page to ``xdg-open``; returns what to tell the user: that it was, or why not."""
    if not page.is_file():
        return f"not opened: there is no {page}"
    program = shutil.which("xdg-open")
    if program is None:
        return f"not opened: xdg-open is not installed (package xdg-utils); open {page} yourself"
    if not _has_display():
        return f"not opened: there is no display ({' and '.join(_DISPLAYS)} are not set); open {page} yourself"
    try:
        # It hands the page to a browser, whose life is no business of ours.
        subprocess.Popen(
            [program, str(page)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        return f"not opened: {program}: {error.strerror}; open {page} yourself"
    return f"opened {page}"


def _has_display() -> bool:
    return any(map(os.environ.get, _DISPLAYS))
