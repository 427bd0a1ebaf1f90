"""The cost of a driver made of drivers where one of them takes everything: ``split:reference`` against ``reference``.

``python benchmarks/split_overhead.py [FOLDER]`` takes a folder in the layout of MLTS; without one the bundled zoo.
Both are interleaved in one run. Prints the ratio of median latencies for each model, without a fallback, where the
execution is the driver's own, and with one, where each execution passes through.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

from nnvet.adapters.selector import create_device
from nnvet.models.bench import BenchOptions, run_bench
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import load_catalogue
from nnvet.models.driver import DriverContender

DRIVERS: Final = {
    "alone": "reference",
    "split": "split:reference",
    "split with a fallback": "split:fallback=partial;reference",
}


def main() -> None:
    """Print the figures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ZOO
    contenders = [DriverContender(name, create_device(selector)) for name, selector in DRIVERS.items()]
    options = BenchOptions(warmup_s=0.2, run_s=1.0, complete_set=False, compile=None)
    medians: dict[str, dict[str, float]] = defaultdict(dict)
    for result in run_bench(load_catalogue(folder), contenders, options).results:
        if result.latency:
            medians[result.model][result.backend] = result.latency.p50_s
    for model, row in medians.items():
        alone = row.pop(f"nnvet:{next(iter(DRIVERS))}", None)
        if alone:
            ratios = ", ".join(
                f"{other / alone:.3f} x for {backend.removeprefix('nnvet:')}" for backend, other in row.items()
            )
            print(f"{model}: {alone * 1e3:.2f} ms alone, {ratios}")


if __name__ == "__main__":
    main()
