"""What the kind ``litert`` adds to the latency of LiteRT itself, by turns on the same model and inputs.

``python benchmarks/litert_adapter.py MODEL.tflite [KERNELS]`` prints the medians of both in processor time of this
process, in which the driver is without any wire, and what a burst through the service process takes in wall time.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from ai_edge_litert import interpreter as litert

from nnvet.adapters import create_device, open_driver
from nnvet.adapters.litert.device import KERNELS
from nnvet.formats.tflite.importer import import_model
from nnvet.hal.interfaces import Device
from nnvet.hal.types import NO_DEADLINE, ExecutionConfig, Model, PrepareModelConfig, Request
from nnvet.models.compiling import Compiler
from nnvet.models.execution import Arena

_ROUNDS: Final = 60
_CALLS: Final = 10
_TIMEOUT_S: Final = 30.0


def runtime_call(data: bytes, kernels: str) -> Callable[[], object]:
    """An inference of LiteRT: inputs in, invoke, outputs out."""
    resolver = litert.OpResolverType[KERNELS[kernels]]
    runner = litert.Interpreter(model_content=data, num_threads=1, experimental_op_resolver_type=resolver)
    runner.allocate_tensors()
    values = [(one["index"], runner.get_tensor(one["index"])) for one in runner.get_input_details()]
    results = [one["index"] for one in runner.get_output_details()]

    def call() -> object:
        for index, value in values:
            runner.set_tensor(index, value)
        runner.invoke()
        return [runner.get_tensor(index) for index in results]

    return call


def driver_call(stack: ExitStack, device: Device, model: Model, *, burst: bool) -> Callable[[], object]:
    """An execution of the same model on a driver: synchronous, or in a burst."""
    main = model.main
    arenas = [Arena([main.operands[index] for index in side]) for side in (main.input_indexes, main.output_indexes)]
    for arena in arenas:
        stack.callback(arena.close)
    pools = (arenas[0].pool, arenas[1].pool)
    request = Request(arenas[0].arguments(0), arenas[1].arguments(1), pools)
    prepared = Compiler(device, model, _TIMEOUT_S).compile(PrepareModelConfig())
    config = ExecutionConfig()
    if not burst:
        return lambda: prepared.execute_synchronously(request, config, NO_DEADLINE)
    channel = prepared.configure_execution_burst()
    return lambda: channel.execute_synchronously(request, (1, 2), config, NO_DEADLINE)


def medians(calls: dict[str, Callable[[], object]], clock: Callable[[], int]) -> dict[str, float]:
    """Milliseconds of each call, by turns so that all meet the same machine."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(_ROUNDS):
        for name, call in calls.items():
            start = clock()
            for _ in range(_CALLS):
                call()
            found[name].append((clock() - start) / _CALLS / 1e6)
    return {name: statistics.median(times) for name, times in found.items()}


def main(path: Path, kernels: str) -> None:
    """Print the medians, each also in terms of LiteRT's own."""
    data, selector = path.read_bytes(), f"litert:kernels={kernels}"
    with ExitStack() as stack:
        model = stack.enter_context(import_model(data)).model
        inside = create_device(selector)
        service = stack.enter_context(open_driver(selector)).device
        runtime = runtime_call(data, kernels)
        calls = {"LiteRT": runtime, "adapter": driver_call(stack, inside, model, burst=False)}
        report("processor time", medians(calls, time.process_time_ns))
        calls = {"LiteRT": runtime, "burst through the service": driver_call(stack, service, model, burst=True)}
        report("wall time", medians(calls, time.perf_counter_ns))


def report(clock: str, found: dict[str, float]) -> None:
    """A line for each call."""
    for name, median in found.items():
        print(f"{clock:15} {name:27} {median:.3f} ms  {median / found['LiteRT']:.3f} x")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(sys.argv[2:3] or ["xnnpack"]))
