"""Stable releases of a package, listed by the index that pip is configured for."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Final

from nnvet.reports.findings import numbers_of

PIP: Final = (sys.executable, "-m", "pip", "--disable-pip-version-check")
"""Command of the pip in nnvet's environment, which also installs into others; it obeys its usual configuration."""
_LISTED: Final = re.compile(r"^Available versions: (.+)$", re.MULTILINE)
_STABLE: Final = re.compile(r"\d+(\.\d+)*")
_NETWORK: Final = re.compile(
    r"Retrying|ConnectionError|NewConnectionError|NameResolution|Max retries|timed out|ProxyError|SSLError"
)
_LIMIT_S: Final = 120.0


class ReleaseError(Exception):
    """The releases of a package cannot be listed."""


def releases_of(package: str, last: int) -> list[str]:
    """Return the last stable releases, the oldest first.

    :raises ReleaseError: the index cannot be reached, or has none of the package.
    """
    command = [*PIP, "index", "versions", package, "--retries", "1", "--timeout", "15"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LIMIT_S)
    except subprocess.TimeoutExpired as error:
        raise ReleaseError(f"{package}: the package index did not answer in {_LIMIT_S:.0f} s") from error
    found = _LISTED.search(listed.stdout)
    stable = {version for version in found[1].split(", ") if _STABLE.fullmatch(version)} if found else set()
    if stable:
        return sorted(stable, key=numbers_of)[-last:]
    raise ReleaseError(f"{package}: {_reason(listed.stdout + listed.stderr)}")


def _reason(said: str) -> str:
    if "No module named pip" in said:
        return "pip is not installed beside nnvet: install it into the same environment"
    if _NETWORK.search(said):
        return "the package index cannot be reached: check the network, or point PIP_INDEX_URL at an index that can be"
    return f"the package index has no stable release of it ({error_of(said)})"


def error_of(said: str) -> str:
    """Return the last line in which pip names an error, or the last one that it printed."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["no message"])[-1].removeprefix("ERROR: ")
