"""Measures the bundled driver's kernels against LiteRT's built-in kernels, on one thread, in processor time.

``OMP_NUM_THREADS=1 python benchmarks/kernels.py [--one-by-one] [FOLDER [MODEL ...]]`` takes a folder in the layout of
MLTS; without one the bundled zoo. It prints medians of executions that take turns, and their ratio. ``--one-by-one``
switches fusion off: operations run one by one. Both sides run in this process; XNNPACK is off.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from msgspec.structs import replace

from nnvet.formats.tflite.importer import import_model
from nnvet.hal.operations.declaration import copy_of
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import load_catalogue
from nnvet.models.compiling import SUSTAINED
from nnvet.reference_driver.device import create
from nnvet.reference_driver.executor import GraphExecution

_WARM_UP, _ROUNDS = 20, 300


def main() -> None:
    """Print the figures."""
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    config = PrepareModelConfig() if "--one-by-one" in options else SUSTAINED
    folder = Path(words[0]) if words else ZOO
    files = {folder / entry.model_path: None for entry in load_catalogue(folder).entries}
    for path in files:
        if path.stem in words[1:] or not words[1:]:
            ours, theirs = _medians(path, config)
            print(f"{path.stem}: {ours * 1e3:.3f} ms, LiteRT {theirs * 1e3:.3f} ms, {ours / theirs:.2f} x", flush=True)


def _medians(path: Path, config: PrepareModelConfig) -> tuple[float, float]:
    """Return the median seconds of one execution of the bundled driver and of LiteRT."""
    with import_model(path) as imported:
        runs = _ours(imported.model, config), _theirs(path)
    for _ in range(_WARM_UP):
        for run in runs:
            run()
    seconds = [[_seconds(run) for run in runs] for _ in range(_ROUNDS)]
    ours, theirs = zip(*seconds, strict=True)
    return median(ours), median(theirs)


def _seconds(run: Callable[[], object]) -> float:
    start = time.thread_time()
    run()
    return time.thread_time() - start


def _ours(model: Model, config: PrepareModelConfig) -> Callable[[], object]:
    compiled = create().build(model, config).compiled
    main, rng = compiled.main, np.random.default_rng(0)
    declared = [main.arguments[index] for index in main.source.input_indexes]
    inputs = [replace(operand, value=_values(rng, operand.dimensions, operand.dtype)) for operand in declared]
    outputs = [main.arguments[index] for index in main.source.output_indexes]
    return lambda: GraphExecution(compiled).run(inputs, [copy_of(output) for output in outputs])


def _values(rng: np.random.Generator, shape: Sequence[int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return random numbers below 1, or random codes."""
    is_float = np.dtype(dtype).kind == "f"
    return (rng.random(tuple(shape)) * (1 if is_float else 100)).astype(dtype)


def _theirs(path: Path) -> Callable[[], object]:
    kernels = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = Interpreter(str(path), num_threads=1, experimental_op_resolver_type=kernels)
    interpreter.allocate_tensors()
    rng = np.random.default_rng(0)
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], _values(rng, detail["shape"], detail["dtype"]))
    run: Callable[[], object] = interpreter.invoke
    return run


if __name__ == "__main__":
    main()
