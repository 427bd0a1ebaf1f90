"""Measures the bundled driver against LiteRT's optimised and reference kernels, on one thread, in turns.

``python benchmarks/networks.py [FOLDER]`` takes a folder in the layout of MLTS; without one the bundled zoo.
Prints the ratio of median latencies for each model.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from nnvet.adapters.drivers import open_driver
from nnvet.models.bench import BenchOptions, baselines, run_bench
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import load_catalogue
from nnvet.models.driver import DriverContender


def main() -> None:
    """Print the figures."""
    with open_driver("reference") as driver:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ZOO
        contenders, missing = baselines(reference_kernels=True)
        if missing:
            sys.exit(missing)
        options = BenchOptions(warmup_s=0.5, run_s=3.0, complete_set=False, compile=None)
        results = run_bench(load_catalogue(folder), [*contenders, DriverContender("reference", driver.device)], options)
        medians: dict[str, dict[str, float]] = defaultdict(dict)
        for result in results.results:
            if result.latency:
                medians[result.model][result.backend] = result.latency.p50_s
        for model, row in medians.items():
            ours = row.pop("nnvet:reference", None)
            if ours:
                ratios = ", ".join(f"{ours / theirs:.2f} x {backend}" for backend, theirs in row.items())
                print(f"{model}: {ours * 1e3:.2f} ms = {ratios}")


if __name__ == "__main__":
    main()
