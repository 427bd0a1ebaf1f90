"""Measures how many inputs a fuzzing harness runs in a second of processor time, with and without instrumentation.

``python benchmarks/fuzz.py`` changes small inputs of the corpus and runs them on the bundled driver, each kind of code
in its own process: plain code, code that counts its edges (:mod:`nnvet.fuzz.counters`), and code instrumented by
atheris. A row has the inputs per second, the shares of making inputs and of calls to the driver, and the time as a
multiple of that of plain code. Processes take turns; the quickest turn of each kind counts.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any, Final

_KINDS: Final = ("plain", "counted", "atheris")
_SMALL: Final = 512
"""Maximal bytes of a small input: a model of one or two operations."""
_SLICES: Final = 5
"""Number of parts of a turn, each with fresh inputs; the quickest part counts."""
_CORPORA: Final = Path(__file__).parent.parent / "fuzz" / "corpora"


def patch_of(kind: str) -> Callable[[CodeType], CodeType] | None:
    """Return the function that instruments code; None for plain code."""
    if kind == "counted":
        counted: Callable[[CodeType], CodeType] = import_module("nnvet.fuzz.counters").EdgeCounters().instrument
        return counted
    patch = import_module("atheris").patch_code
    return (lambda code: patch(code, trace_dataflow=True)) if kind == "atheris" else None


def measure(name: str, kind: str, count: int) -> dict[str, float]:
    """Return the microseconds of processor time for an input: in all, for making it, and for calls to the driver."""
    from nnvet.fuzz.counters import Instrumented, driver_modules  # noqa: PLC0415 - not to be loaded earlier

    patch, modules = patch_of(kind), None
    if patch is not None:
        modules = Instrumented(
            (*driver_modules("reference"), "nnvet.hal.validation", "nnvet.hal.operations"), patch
        ).modules
    # Modules that are imported from here on are instrumented.
    harness = import_module("nnvet.fuzz.harness").HARNESSES[name]
    target = import_module("nnvet.fuzz.target")
    seeds = [data for file in sorted((_CORPORA / name).iterdir()) if len(data := file.read_bytes()) <= _SMALL]
    spent = 0
    ask = target.FuzzedDriver.ask

    def timed(self: Any, call: Callable[[], Any]) -> Any:
        nonlocal spent
        begin = time.process_time_ns()
        try:
            return ask(self, call)
        finally:
            spent += time.process_time_ns() - begin

    target.FuzzedDriver.ask = timed
    found = []
    with harness.opens(target.Target("reference", in_process=True)) as one_input:
        for data in seeds:
            one_input(data)
        if modules is not None and not modules:
            raise ValueError("nothing is instrumented: something had been imported before")
        for part in range(_SLICES):
            spent, begin = 0, time.process_time_ns()
            inputs = made(harness, seeds, count, part)
            between = time.process_time_ns()
            for data in inputs:
                one_input(data)
            end = time.process_time_ns()
            found.append((end - begin, between - begin, spent))
    whole, making, driver = min(found)
    return {"all": whole / count / 1e3, "making": making / count / 1e3, "driver": driver / count / 1e3}


def made(harness: Any, seeds: list[bytes], count: int, part: int) -> list[bytes]:
    """Return small inputs, changed as the harness changes them, or as bytes."""
    from nnvet.fuzz.steps import raw_mutation  # noqa: PLC0415 - not to be loaded earlier

    draw = random.Random(part)  # noqa: S311 - no secret
    inputs = []
    while len(inputs) < count:
        data, seed = draw.choice(seeds), draw.getrandbits(31)
        new = None if harness.mutator is None else harness.mutator(data, 2 * _SMALL, seed)
        inputs.append(raw_mutation(data, 2 * _SMALL, seed) if new is None else new)
    return inputs


def in_process(name: str, kind: str, count: int) -> dict[str, float]:
    """Run :func:`measure` in a new process, and return its result."""
    command = [sys.executable, __file__, name, "--kind", kind, "--count", str(count)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("harness", nargs="*", default=["model", "differential"])
    parser.add_argument("--count", type=int, default=300, help="inputs in each part of a turn")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--kind", choices=_KINDS, help="measure in this process, and print JSON")
    arguments = parser.parse_args()
    if arguments.kind:
        sys.stdout.write(json.dumps(measure(arguments.harness[0], arguments.kind, arguments.count)))
        return
    for name in arguments.harness:
        turns = [{kind: in_process(name, kind, arguments.count) for kind in _KINDS} for _ in range(arguments.turns)]
        best = {kind: min((turn[kind] for turn in turns), key=lambda seconds: seconds["all"]) for kind in _KINDS}
        for kind, took in best.items():
            sys.stdout.write(
                f"{name:12} {kind:8} {1e6 / took['all']:6.0f}/s  making inputs {took['making'] / took['all']:4.0%}  "
                f"driver {took['driver'] / took['all']:4.0%}  {took['all'] / best['plain']['all']:5.2f} x plain\n"
            )


if __name__ == "__main__":
    main()
