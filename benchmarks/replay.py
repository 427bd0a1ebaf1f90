"""Measures ``nnvet replay ID`` from the start of the process to the verdict, beside a bare ``import numpy``.

``python benchmarks/replay.py`` runs both in turns, each in new processes, and prints the ratio of their processor times
(the driver's service included) and the seconds of wall time. The names of three spec files begin like the id, so that
all three are loaded. The first turn is not counted, because it fills caches that an author of drivers has already.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

_TURNS = 15
_CASE = "GeneratedValidationTest/sync/tanh_quant8_signed_invalid_output_zero_point_all_inputs_as_internal"
_REPLAY = (sys.executable, "-m", "nnvet.commands", "replay", _CASE)
_IMPORT = (sys.executable, "-c", "import numpy")


def cost(command: tuple[str, ...]) -> tuple[float, float]:
    """Run a command; return its seconds of wall time, and of processor time with its children."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before, began = os.times(), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    wall_s, after = time.perf_counter() - began, os.times()
    spent = after.children_user - before.children_user + after.children_system - before.children_system
    return wall_s, spent


def main() -> None:
    """Print the figures."""
    turns = [(cost(_REPLAY), cost(_IMPORT)) for _ in range(_TURNS + 1)][1:]
    walls, processor = zip(*(replay for replay, _ in turns), strict=True)
    ratio = statistics.median(replay[1] / bare[1] for replay, bare in turns)
    wall_s, processor_s = statistics.median(walls), statistics.median(processor)
    print(f"replay of one case: {wall_s:.2f} s of wall time, {processor_s:.2f} s of processor time")
    print(f"processor time: {ratio:.1f} x that of import numpy")


if __name__ == "__main__":
    main()
