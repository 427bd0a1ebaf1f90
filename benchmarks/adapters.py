"""Measures the latency that the adapters ``litert`` and ``onnxruntime`` add to their runtimes, on equal inputs.

``python benchmarks/adapters.py MODEL.tflite [KIND[:OPTIONS] ...]`` prints median processor times of this process: of
the runtime itself on the file that the adapter has made of the model, and of the driver in this process, with memory
that stays mapped as that of bursts does. A burst through the service process is measured in wall time.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.adapters.drivers import open_driver
from nnvet.adapters.litert.device import InterpreterProgram
from nnvet.adapters.onnxruntime.device import SessionProgram
from nnvet.adapters.runtimes.device import RuntimePrepared
from nnvet.adapters.selector import create_device
from nnvet.formats.tflite.importer import import_model
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.memory import keep_mapped
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import NO_DEADLINE, ExecutionConfig, Model, PrepareModelConfig, Request
from nnvet.models.compiling import Compiler
from nnvet.models.driver import Arena

_ROUNDS: Final = 60
_CALLS: Final = 10
_TIMEOUT_S: Final = 30.0

Call = Callable[[], object]


def of_litert(program: InterpreterProgram) -> Call:
    """Return a function that runs LiteRT once: it sets the inputs, invokes the interpreter, and gets the outputs."""
    runner: Any = program.interpreter
    values = [(detail["index"], runner.get_tensor(detail["index"])) for detail in runner.get_input_details()]
    results = [detail["index"] for detail in runner.get_output_details()]

    def call() -> object:
        for index, value in values:
            runner.set_tensor(index, value)
        runner.invoke()
        return [runner.get_tensor(index) for index in results]

    return call


def of_onnxruntime(program: SessionProgram, inputs: list[Any]) -> Call:
    """Return a function that runs a session once."""
    session: Any = program.session
    fed = {entry.name: value for entry, value in zip(session.get_inputs(), inputs, strict=True)}
    results = [output.name for output in session.get_outputs()]
    return lambda: session.run(results, fed)


class Subject:
    """A prepared model, with a request for it."""

    def __init__(self, stack: ExitStack, device: Device, model: Model) -> None:
        """Prepare the model, and make memory that stays mapped for it until ``stack`` ends."""
        self._model, main = model, model.main
        sides = [[main.operands[index] for index in side] for side in (main.input_indexes, main.output_indexes)]
        self._arenas = arenas = [Arena(side) for side in sides]
        for arena in arenas:
            stack.callback(arena.close)
        pools = (arenas[0].pool, arenas[1].pool)
        self.request = Request(arenas[0].arguments(0), arenas[1].arguments(1), pools)
        self.prepared: PreparedModel = Compiler(device, model, _TIMEOUT_S).compile(PrepareModelConfig())

    def synchronous(self) -> Call:
        """Execute in this process, without the service."""
        request = replace(self.request, pools=tuple([keep_mapped(arena.pool) for arena in self._arenas]))
        config = ExecutionConfig()
        return lambda: self.prepared.execute_synchronously(request, config, NO_DEADLINE)

    def burst(self) -> Call:
        """Execute in a burst."""
        channel, config = self.prepared.configure_execution_burst(), ExecutionConfig()
        return lambda: channel.execute_synchronously(self.request, (1, 2), config, NO_DEADLINE)

    def runtime(self) -> Call:
        """Return the adapter's call of its runtime, without the adapter."""
        if not isinstance(self.prepared, RuntimePrepared):
            raise TypeError("no runtime is behind this driver")
        (program,) = self.prepared.programs
        if isinstance(program, InterpreterProgram):
            return of_litert(program)
        if not isinstance(program, SessionProgram):
            raise TypeError("the runtime is not one of those that are measured")
        operands = [self._model.main.operands[index] for index in self._model.main.input_indexes]
        inputs = [np.zeros(operand.dimensions, type_info(operand.type).dtype) for operand in operands]
        # Memory that was never written to maps to a single page of zeros, which is faster to read than real inputs.
        for value in inputs:
            value[...] = 0
        return of_onnxruntime(program, inputs)


def medians(calls: dict[str, Call], clock: Callable[[], int]) -> dict[str, float]:
    """Return the median milliseconds of each call; the calls take turns, so that all meet the same load."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(_ROUNDS):
        for name, call in calls.items():
            start = clock()
            for _ in range(_CALLS):
                call()
            found[name].append((clock() - start) / _CALLS / 1e6)
    return {name: statistics.median(times) for name, times in found.items()}


def measure(data: bytes, selector: str) -> None:
    """Print the medians, each also as a multiple of the runtime's own median."""
    with ExitStack() as stack:
        model = stack.enter_context(import_model(data)).model
        inside = Subject(stack, create_device(selector), model)
        served = Subject(stack, stack.enter_context(open_driver(selector)).device, model)
        runtime = inside.runtime()
        calls = {"the runtime": runtime, "adapter": inside.synchronous()}
        report(selector, "processor time", medians(calls, time.process_time_ns))
        calls = {"the runtime": runtime, "burst through the service": served.burst()}
        report(selector, "wall time", medians(calls, time.perf_counter_ns))


def report(selector: str, clock: str, found: dict[str, float]) -> None:
    """Print a line for each call."""
    for name, median in found.items():
        print(f"{selector:15} {clock:15} {name:27} {median:.3f} ms  {median / found['the runtime']:.3f} x")


def main(path: Path, selectors: list[str]) -> None:
    """Measure one kind after the other."""
    data = path.read_bytes()
    for selector in selectors or ["litert", "onnxruntime"]:
        measure(data, selector)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
