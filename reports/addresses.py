"""Addresses of folders, pages of documentation and specs, for links in reports.

By default a report names files of the repository; if environment variables name a site of the documentation or of the
source, reports link to it. ``console.py`` and the templates use these functions, the latter as filters of Jinja.
"""

from __future__ import annotations

import os
from typing import Final
from urllib.parse import quote

DOCS_URL: Final = "NNVET_DOCS"
"""Environment variable with the address of a site built by ``make docs``; reports then link to its pages."""

SOURCE_URL: Final = "NNVET_SOURCE"
"""Environment variable with the address of the repository's files; reports then link to the specs of failed cases."""

WHAT_NOW: Final = "docs/what-now.md"
"""Page that explains how to get from a failed case to the wrong line of the driver."""


def beside(folder: str) -> str:
    """Return the relative address of a folder that a log names; "" if it is not below the folder of the page.

    A log may come from anybody: its paths must not lead a reader to other places of the machine.
    """
    parts = folder.split("/")
    return quote(folder) if folder and "" not in parts and ".." not in parts else ""


def site_path(place: str) -> str:
    """Return a page's address on a site: ``contract/hal.html#2-constants`` for ``docs/contract/hal.md#2-constants``."""
    page, mark, anchor = place.partition("#")
    folder, _, name = page.removeprefix("docs/").removesuffix(".md").rpartition("/")
    path = "/".join(part for part in (folder, "index" if name == "README" else name) if part)
    return f"{path}.html{mark}{anchor}"


def source_address(place: str) -> str:
    """Return the address of a line of a spec, ``PATH:LINE``, at the address that NNVET_SOURCE gives; "" if none."""
    files, (path, _, line) = os.environ.get(SOURCE_URL, "").rstrip("/"), place.rpartition(":")
    return f"{files}/{path}#L{line}" if files and not path.startswith("/") else ""


def site_address(place: str) -> str:
    """Return the address of a page of ``docs/`` on the site that NNVET_DOCS names; "" if none is named."""
    site = os.environ.get(DOCS_URL, "").rstrip("/")
    return f"{site}/{site_path(place)}" if site else ""
