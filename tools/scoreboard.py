"""``python -m tools.scoreboard``: the usual run of nine runtimes and back ends side by side, in one page.

It starts ``nnvet run`` with all drivers that this machine has, and prints the reason why others are missing. ONNX
Runtime with WebGPU has a package that excludes the usual one: the environment variable ``NNVET_WEBGPU_PYTHON`` names
the interpreter of an environment that has nnvet with the extra ``webgpu``.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from nnvet.adapters import SelectorError
from nnvet.adapters.drivers import open_driver
from nnvet.transport.wire.failures import DriverGone

WEBGPU: Final = "NNVET_WEBGPU_PYTHON"
"""Environment variable with the interpreter of the environment for WebGPU."""
HERE: Final = (
    "reference",
    "litert",
    "litert:kernels=reference",
    "onnxruntime",
    "onnxruntime:library=qnn,backend=htp",
    "openvino",
    "torch",
    "jax",
)
"""Selectors of the drivers that one environment can have."""
_GPU: Final = "onnxruntime:provider=WebGpu"
"""Selector of the driver that needs an environment of its own."""


def contenders(environment: Mapping[str, str]) -> list[str]:
    """Return selectors of all drivers of the scoreboard; WebGPU runs in an environment of its own, if there is one."""
    python = environment.get(WEBGPU)
    if not python:
        return [*HERE, _GPU]
    service = f"{shlex.quote(python)} -P -m nnvet.adapters.service.main --fd $NNVET_SOCKET_FD {_GPU}"
    return [*HERE, f"exec:sh -c {shlex.quote(f'exec {service}')}"]


def missing(selectors: Sequence[str]) -> dict[str, str]:
    """Return the reasons why drivers do not run here, by selector; each is started and asked for its version."""
    reasons: dict[str, str] = {}
    for selector in selectors:
        try:
            with open_driver(selector) as driver:
                driver.device.get_version_string()
        except (SelectorError, DriverGone) as error:
            reasons[selector] = next(iter(str(error).splitlines()), type(error).__name__)
    return reasons


def main(arguments: Sequence[str]) -> int:
    """Run the drivers that are here and return the exit code of ``nnvet run``, or 2 if there are none.

    ``arguments`` are further options of ``nnvet run``.
    """
    selectors = contenders(os.environ)
    reasons = missing(selectors)
    for selector, reason in reasons.items():
        print(f"not here: {selector}: {reason}", flush=True)
    there = [selector for selector in selectors if selector not in reasons]
    print(f"{len(there)} of {len(selectors)} runtimes and back ends are here", flush=True)
    if not there:
        return 2
    options = [option for selector in there for option in ("-d", selector)]
    command = [
        sys.executable,
        "-m",
        "nnvet.commands",
        "run",
        *options,
        "--bench",
        "--out",
        "out/scoreboard",
        *arguments,
    ]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
