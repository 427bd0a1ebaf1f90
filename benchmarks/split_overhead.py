"""Measures the kind ``split``, in which one part takes the whole model, against that part alone.

``python -m benchmarks.split_overhead [MODEL.tflite ...] [SELECTOR]`` prints, for each network (by default bundled
MobileNets), the median ratio of the processor times of pairs of executions in this process, in alternating order, with
memory that stays mapped as that of bursts does. SELECTOR is the part, by default ``reference``.
Without a fallback the execution is the part's own; with one, each execution passes through.
"""

from __future__ import annotations

import statistics
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from benchmarks.adapters import Call, Subject
from nnvet.adapters.selector import create_device
from nnvet.formats.tflite.importer import import_model
from nnvet.models.bundled import ZOO

NETWORKS: Final = tuple(
    ZOO / f"{name}.tflite"
    for name in ("mobilenet_v1_0.2_96", "mobilenet_v1_0.2_96_quant", "mobilenet_v2_0.3_96", "mobilenet_v3_0.3_64_int8")
)
FORMS: Final = {
    "whole": "split:{0}+{0}",
    "fallback": "split:fallback=partial;{0}+{0}",
}
_PAIRS: Final = 300
_WARM_UP: Final = 20


def cost(alone: Call, through: Call) -> float:
    """Return the median ratio of ``through`` to ``alone``, in processor time, over pairs in alternating order."""
    ratios = []
    for turn in range(_WARM_UP + _PAIRS):
        spent = {}
        for call in (alone, through) if turn % 2 else (through, alone):
            begin = time.process_time_ns()
            call()
            spent[call] = time.process_time_ns() - begin
        ratios.append(spent[through] / spent[alone])
    return statistics.median(ratios[_WARM_UP:])


def measure(path: Path, selector: str) -> str:
    """Return a line of figures; the first is that of the part against itself, which ought to be 1."""
    with ExitStack() as stack:
        model = stack.enter_context(import_model(path.read_bytes())).model

        def call_of(name: str) -> Call:
            return Subject(stack, create_device(name), model).synchronous()

        alone = call_of(selector)
        figures = {"itself": cost(alone, call_of(selector))}
        figures |= {form: cost(alone, call_of(text.format(selector))) for form, text in FORMS.items()}
    return f"{path.stem:28} " + ", ".join(f"{form} {ratio:.3f} x" for form, ratio in figures.items())


def main(arguments: list[str]) -> None:
    """Print the figures."""
    selectors = [argument for argument in arguments if not argument.endswith(".tflite")]
    paths = [Path(argument) for argument in arguments if argument.endswith(".tflite")]
    for path in paths or NETWORKS:
        print(measure(path, selectors[0] if selectors else "reference"), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
