"""Runs the reproducers of findings, each in a process of its own, and reads the results."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from nnvet.reports.findings import SHOWN, RuntimeFinding, Weight
from nnvet.reports.releases import ReleaseResult, Showing

LIMIT_S: Final = 120.0
"""Seconds that a reproducer may take; most of them are for loading the runtime."""
_CPUINFO: Final = Path("/proc/cpuinfo")
_LETTERS: Final = 300


@cache
def processor_features() -> frozenset[str]:
    """Return the features of this processor by Linux's names; none if Linux does not list them."""
    try:
        lines = _CPUINFO.read_text(encoding="utf-8").partition("\n\n")[0].splitlines()
    except OSError:
        return frozenset()
    said = {key.strip(): value for key, _, value in (line.partition(":") for line in lines)}
    return frozenset((said.get("flags") or said.get("Features", "")).split())


def reproduce(finding: RuntimeFinding, python: Path, limit_s: float = LIMIT_S) -> ReleaseResult:
    """Run the reproducer of a finding with an interpreter; the result tells whether the fault shows."""
    missing = [feature for feature in finding.features if feature not in processor_features()]
    if missing:
        return ReleaseResult(Showing.NOT_HERE, f"needs a processor with {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        # Isolated, so that neither PYTHONPATH nor the working directory brings in another release.
        command = [str(python), "-I", str(finding.script.resolve())]
        environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
        try:
            ended = subprocess.run(
                command, capture_output=True, cwd=folder, env=environment, check=False, timeout=limit_s
            )
        except subprocess.TimeoutExpired:
            return ReleaseResult(Showing.HANGS, f"no end within {limit_s:g} s")
    return _cell(finding, ended.returncode, *(part.decode(errors="replace") for part in (ended.stdout, ended.stderr)))


def _cell(finding: RuntimeFinding, status: int, printed: str, error: str) -> ReleaseResult:
    said = " ".join(printed.split())[:_LETTERS]
    if status == 0:
        return ReleaseResult(Showing.RIGHT, said)
    if status == SHOWN:
        return ReleaseResult(Showing.SHOWS, said)
    if status < 0 and finding.weight is Weight.CRASH:
        return ReleaseResult(Showing.SHOWS, f"{said}; ended by {signal.Signals(-status).name}")
    if status < 0:
        return ReleaseResult(Showing.BROKEN, f"ended by {signal.Signals(-status).name}")
    return ReleaseResult(Showing.BROKEN, (error.strip().splitlines() or [f"exit status {status}"])[-1][:_LETTERS])
