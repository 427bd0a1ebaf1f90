"""Virtual environments for releases of a runtime, one for each, which are cached in a folder."""

from __future__ import annotations

import shutil
import subprocess
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nnvet.adapters.releases.index import PIP, error_of
from nnvet.adapters.selector import SelectorError
from nnvet.diagnostics.nearest_names import nearest_names

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


class InstallError(Exception):
    """A release cannot be installed here."""


def runtime_of(name: str) -> RuntimePackage:
    """Return the runtime of a name.

    :raises SelectorError: there is none.
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
        # Without a pip of its own, which takes longer to make than all the rest: the one beside nnvet installs.
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
