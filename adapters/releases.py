"""Releases of a runtime: list them from the index, make an environment for each, run the reproducers of findings.

Environments are kept in a folder for the next time. Each reproducer runs in a process of its own. The command ``nnvet
versions`` uses this module: :func:`releases_of`, :func:`python_of` and :func:`reproduce`, in this order. Findings and
the table of results are in :mod:`nnvet.reports.findings` and :mod:`nnvet.reports.releases`.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from nnvet.adapters.selector import SelectorError
from nnvet.diagnostics.nearest_names import nearest_names
from nnvet.reports.findings import SHOWN, RuntimeFinding, Weight, numbers_of
from nnvet.reports.releases import ReleaseResult, Showing

PIP: Final = (sys.executable, "-m", "pip", "--disable-pip-version-check")
"""Command of the pip in nnvet's environment, which also installs into others; it obeys its usual configuration."""
_LISTED: Final = re.compile(r"^Available versions: (.+)$", re.MULTILINE)
"""The line of pip's output with all releases."""
_STABLE: Final = re.compile(r"\d+(\.\d+)*")
"""Version of a release that is no preview."""
_NETWORK: Final = re.compile(
    r"Retrying|ConnectionError|NewConnectionError|NameResolution|Max retries|timed out|ProxyError|SSLError"
)
"""Signs in pip's output that the index was not reached."""


class ReleaseError(Exception):
    """Raised if the releases of a package cannot be listed."""


def releases_of(package: str, last: int) -> list[str]:
    """Return the last stable releases, the oldest first.

    :raises ReleaseError: the index cannot be reached, or has no stable release of the package.
    """
    command = [*PIP, "index", "versions", package, "--retries", "1", "--timeout", "15"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    except subprocess.TimeoutExpired as error:
        raise ReleaseError(f"{package}: the package index did not answer in {LIMIT_S:.0f} s") from error
    found = _LISTED.search(listed.stdout)
    stable = {version for version in found[1].split(", ") if _STABLE.fullmatch(version)} if found else set()
    if stable:
        return sorted(stable, key=numbers_of)[-last:]
    raise ReleaseError(f"{package}: {_explain_failure(listed.stdout + listed.stderr)}")


def _explain_failure(output: str) -> str:
    """Return, from pip's output, why it has listed no release."""
    if "No module named pip" in output:
        return "pip is not installed beside nnvet: install it into the same environment"
    if _NETWORK.search(output):
        return "the package index cannot be reached: check the network, or point PIP_INDEX_URL at an index that can be"
    return f"the package index has no stable release of it ({error_of(output)})"


def error_of(output: str) -> str:
    """Return the last line of pip's output that names an error, or the last line of all."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["no message"])[-1].removeprefix("ERROR: ")


_READY: Final = "installed"
"""Name of the file that marks an environment as complete; an environment without it is made again."""


@dataclass(frozen=True)
class RuntimePackage:
    """The package of a runtime, and further packages that its reproducers need."""

    package: str
    needs: tuple[str, ...]


RUNTIMES: Final = {
    "litert": RuntimePackage("ai-edge-litert", ("flatbuffers", "numpy")),
    "onnxruntime": RuntimePackage("onnxruntime", ("onnx", "numpy")),
    "torch": RuntimePackage("torch", ("numpy",)),
    "qnn": RuntimePackage("onnxruntime-qnn", ("onnx", "onnxruntime", "numpy")),
    "webgpu": RuntimePackage("onnxruntime-webgpu", ("onnx", "numpy")),
}
"""Runtimes that findings are about, by the names that ``nnvet versions`` takes."""


class InstallError(Exception):
    """Raised if a release cannot be installed here."""


def runtime_of(name: str) -> RuntimePackage:
    """Return the runtime with a name.

    :raises SelectorError: no runtime has the name.
    """
    if name not in RUNTIMES:
        near = nearest_names(name, RUNTIMES, 1)
        meant = f"; did you mean {near[0]!r}?" if near else "."
        raise SelectorError(
            f"no findings against a runtime {name!r}{meant} There are some against {', '.join(RUNTIMES)}"
        )
    return RUNTIMES[name]


def python_of(package: str, version: str, needs: Sequence[str], cache: Path, limit_s: float) -> Path:
    """Return the interpreter of an environment with one release of a package; make it unless the cache has it.

    :raises InstallError: the release cannot be installed; the text is pip's.
    """
    folder = cache / f"{package}-{version}"
    python = folder / "bin" / "python"
    if (folder / _READY).exists() and python.exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    try:
        # The environment gets no pip of its own, which would take longest; the pip beside nnvet installs into it.
        venv.create(folder, symlinks=True)
    except OSError as error:
        raise InstallError(f"{folder}: no environment can be made there ({error.strerror or error})") from error
    command = [*PIP, "--python", str(python), "install", "--quiet", f"{package}=={version}", *needs]
    try:
        installed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit_s)
    except subprocess.TimeoutExpired as error:
        raise InstallError(f"not installed within {limit_s:.0f} s") from error
    if installed.returncode:
        raise InstallError(error_of(installed.stdout + installed.stderr))
    (folder / _READY).write_text(f"{package}=={version}\n", encoding="utf-8")
    return python


LIMIT_S: Final = 120.0
"""Seconds that a reproducer may take; most of them are for loading the runtime."""
_CPUINFO: Final = Path("/proc/cpuinfo")
"""Linux's list of processors, whose features are in a line ``flags`` (x86) or ``Features`` (ARM)."""
_LETTERS: Final = 300
"""Most characters of an error in the result."""


@cache
def processor_features() -> frozenset[str]:
    """Return the features of this processor by Linux's names; none if Linux does not list them."""
    try:
        lines = _CPUINFO.read_text(encoding="utf-8").partition("\n\n")[0].splitlines()
    except OSError:
        return frozenset()
    fields = {key.strip(): value for key, _, value in (line.partition(":") for line in lines)}
    return frozenset((fields.get("flags") or fields.get("Features", "")).split())


def reproduce(finding: RuntimeFinding, python: Path, limit_s: float = LIMIT_S) -> ReleaseResult:
    """Run the reproducer of a finding with an interpreter; the result tells whether the fault shows."""
    missing = [feature for feature in finding.features if feature not in processor_features()]
    if missing:
        return ReleaseResult(Showing.NOT_HERE, f"needs a processor with {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        # Run in Python's isolated mode, so that neither PYTHONPATH nor the working directory brings in another release.
        command = [str(python), "-I", str(finding.script.resolve())]
        environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
        try:
            ended = subprocess.run(
                command, capture_output=True, cwd=folder, env=environment, check=False, timeout=limit_s
            )
        except subprocess.TimeoutExpired:
            return ReleaseResult(Showing.HANGS, f"no end within {limit_s:g} s")
    return _judge(finding, ended.returncode, *(part.decode(errors="replace") for part in (ended.stdout, ended.stderr)))


def _judge(finding: RuntimeFinding, status: int, printed: str, error: str) -> ReleaseResult:
    """Return the result of a reproducer that has ended with an exit status, and has printed output and errors."""
    text = " ".join(printed.split())[:_LETTERS]
    if status == 0:
        return ReleaseResult(Showing.RIGHT, text)
    if status == SHOWN:
        return ReleaseResult(Showing.SHOWS, text)
    if status < 0 and finding.weight is Weight.CRASH:
        return ReleaseResult(Showing.SHOWS, f"{text}; ended by {signal.Signals(-status).name}")
    if status < 0:
        return ReleaseResult(Showing.BROKEN, f"ended by {signal.Signals(-status).name}")
    return ReleaseResult(Showing.BROKEN, (error.strip().splitlines() or [f"exit status {status}"])[-1][:_LETTERS])
