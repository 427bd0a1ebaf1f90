"""Measures the speed of making random graphs, and the information in their outputs, by type and size.

``python benchmarks/random_graphs.py`` makes graphs of mixed types and of one type, and prints for each the number of
graphs per second, the shares of time for structure, values and oracle, and the share of output elements that carry
information. The first line is the steady state, in which beginnings of graphs are cached after a warm-up of some
seconds; all other lines make every operation anew. The named graphs of CTS serve as comparison. Times are processor
time, in turns.

``--nnsmith PYTHON`` names the interpreter of an environment that has NNSmith (``pip install nnsmith``): the last line
says how many graphs of ten operations it makes in a second with its defaults, without weights and without a file.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from collections.abc import Callable, Iterator
from unittest.mock import patch

import numpy as np

from nnvet.generators.random_graphs import models
from nnvet.generators.random_graphs.chooser import Chooser, SeededChooser
from nnvet.generators.random_graphs.draft import DraftOperand
from nnvet.generators.random_graphs.golden import compute_outputs, information
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.named import GRAPH_TESTS
from nnvet.generators.random_graphs.options import PRIMARY_TYPES, GraphOptions
from nnvet.graphs.model import Array, TestModel, element_type

_TURNS = 5
_WARM_UP = 30
_FILLED = 8000
"""Number of graphs after which nearly all beginnings are cached."""
_NNSMITH = """
import logging, time
logging.disable(logging.CRITICAL)
from nnsmith.abstract.op import FULL_OPERATOR_SETS
from nnsmith.graph_gen import model_gen
def make(seed):
    gen = model_gen(FULL_OPERATOR_SETS["core"], "symbolic-cinit", max_nodes=10, seed=seed, max_elem_per_tensor=65536)
    assert gen.make_concrete().n_compute_inst() == 10
make(0)
begin = time.process_time()
for seed in range(1, 41):
    make(seed)
print(40 / (time.process_time() - begin))
"""
_JUDGED = 40
"""Number of graphs whose outputs are examined; each is computed five times."""


def seconds(work: Callable[[int], object], count: int) -> float:
    """Return the processor time of one of ``count`` pieces of work, from the shortest of several turns."""
    found = []
    for turn in range(_TURNS):
        begin = time.process_time()
        for number in range(turn * count, (turn + 1) * count):
            work(number)
        found.append((time.process_time() - begin) / count)
    return min(found)


def without_values(chooser: Chooser, operand: DraftOperand) -> Array:
    """Return no values, in place of random ones."""
    del chooser
    return np.empty(0, element_type(operand.type))


def rows(sizes: list[int]) -> Iterator[tuple[str, GraphOptions]]:
    """Yield the kinds to measure: mixed types, and each type alone."""
    yield "all types, 10 operations, steady state", GraphOptions()
    for size in sizes:
        yield f"all types, {size} operations", GraphOptions(operations=(size, size), remembered=0)
    for kind in PRIMARY_TYPES[:-1]:
        options = GraphOptions(operations=(sizes[0], sizes[0]), types=(kind,), remembered=0)
        yield f"{kind.name}, {sizes[0]} operations", options


@np.errstate(all="ignore")
def report(name: str, make: Callable[[int], TestModel], count: int, warm_up: int = _WARM_UP) -> None:
    """Print a line: graphs per second, shares of time, shares of information."""
    begin = time.process_time()
    for number in range(warm_up):
        make(-1 - number)
    if warm_up > _WARM_UP:
        print(f"warm-up: {warm_up} graphs, {time.process_time() - begin:.1f} s")
    whole = seconds(make, count)
    with patch.object(models, "values_of", without_values):
        structure = seconds(make, count)
    tests = [make(number) for number in range(_JUDGED)]
    oracle = seconds(lambda number: compute_outputs(tests[number % _JUDGED]), _JUDGED)
    shares = [information(test) for test in tests]
    strictly = [information(test, by_element=True) for test in tests]
    print(
        f"{name:42} {1 / whole:7.0f}/s  structure {structure / whole:4.0%}  oracle {oracle / whole:6.1f} x  "
        f"information {np.mean(shares):4.0%}  by element {np.mean(strictly):4.0%}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="graphs in each of five turns")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 1, 40, 200])
    parser.add_argument("--nnsmith", help="the interpreter of an environment that has NNSmith")
    arguments = parser.parse_args()
    for name, options in rows(arguments.sizes):

        def make(number: int, options: GraphOptions = options) -> TestModel:
            return random_model(SeededChooser(f"benchmark/{number}"), options)

        count = max(1, arguments.count * 10 // options.operations[1])
        report(name, make, *((10 * count, _FILLED) if options.remembered else (count,)))
    for graph in GRAPH_TESTS[::16]:
        report(graph.name, lambda seed, graph=graph: graph.make(abs(seed)), arguments.count)  # type: ignore[misc]
    if arguments.nnsmith:
        command = [arguments.nnsmith, "-W", "ignore", "-c", _NNSMITH]
        rate = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]
        print(f"NNSmith, 10 operations {float(rate):.1f}/s")


if __name__ == "__main__":
    main()
