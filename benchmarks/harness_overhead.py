"""Measures the overhead of a case beside its execution, and the time to collect cases.

``python benchmarks/harness_overhead.py`` prints the median cost of a spec case through the service process, the
time inside the driver's execution, and the seconds that collecting 10,000 cases takes.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from nnvet.adapters.drivers import open_driver
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import DriverUnderTest, run_one
from nnvet.conformance.engine.selection import BUNDLED_SPECS, Selection, argument_of
from nnvet.conformance.engine.target import Target
from nnvet.generators.specs import SpecCase, find_specs, load_spec
from nnvet.graphs.hal_model import build_model, close_pools, pack_request
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.types import ExecutionConfig

_CASES = 1500
_COLLECTED = 10_000


def case_cost_ms() -> tuple[float, float]:
    """Return the median milliseconds of a whole case, preparation included, and of its execution in the driver."""
    selection = Selection(("GeneratedTest/sync/*",))
    cases = list(Catalogue([BUNDLED_SPECS], with_checks=False).cases(selection))[:_CASES]
    target = Target("reference")
    whole: list[float] = []
    with open_driver(target.selector, timeout_s=target.timeout_s) as driver:
        subject = DriverUnderTest(target, driver)
        for case in cases:
            begin = time.perf_counter()
            run_one(subject, case)
            whole.append(time.perf_counter() - begin)
    specs = [argument_of(case) for case in cases]
    return statistics.median(whole) * 1e3, _execution_ms(specs)


def _execution_ms(specs: list[SpecCase]) -> float:
    """Return the median milliseconds that the driver itself reports for executions of the same cases."""
    times: list[float] = []
    with open_driver("reference", in_process=True) as driver:
        subject = DriverUnderTest(Target("reference", in_process=True), driver)
        for spec in specs[::10]:
            test = spec.build()
            model, packed = build_model(test), pack_request(test)
            try:
                result = subject.prepare(model).execute_synchronously(
                    packed.request, ExecutionConfig(measure_timing=True), NO_DEADLINE
                )
                times.append(result.timing.time_on_device_ns / 1e6)
            finally:
                close_pools(model)
                packed.close()
    return statistics.median(times)


def collection_s() -> tuple[int, float]:
    """Return the number of cases collected from copies of the bundled corpus, and the seconds that this took."""
    with tempfile.TemporaryDirectory() as folder:
        place, number = Path(folder), 0
        paths = find_specs(BUNDLED_SPECS)
        counted = 0
        while counted < _COLLECTED:
            for path in paths:
                target = place / f"copy{number}" / path.parent.name
                target.mkdir(parents=True, exist_ok=True)
                (target / path.name).write_text(path.read_text())
                counted += len(load_spec(path))
            number += 1
        begin = time.perf_counter()
        specs = [spec for path in find_specs(place) for spec in load_spec(path)]
        return len(specs), time.perf_counter() - begin


def main() -> None:
    """Print the figures."""
    whole, execution = case_cost_ms()
    print(f"case through the service: {whole:.2f} ms median, of which {execution:.3f} ms execution")
    count, seconds = collection_s()
    print(f"collecting {count} spec cases: {seconds:.1f} s, {seconds / count * _COLLECTED:.1f} s for {_COLLECTED}")


if __name__ == "__main__":
    main()
