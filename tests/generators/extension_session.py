"""Prints, as JSON, the ways that find each of three faults in the kernel of the tutorial's operation, and more facts.

A process of its own: known extensions are read once. ``test_own_operation.py`` runs it with ``NNVET_EXTENSIONS`` set.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from nnvet.conformance.engine.catalogue import Batch, Catalogue, Series
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case
from nnvet.conformance.kit.outcome import Finished
from nnvet.fuzz import differential
from nnvet.fuzz.findings import FuzzFinding
from nnvet.generators.corpus.__main__ import write_extension
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.options import GraphOptions, options_of, text_of
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.extensions import known_operations
from nnvet.hal.operations.declaration import Call
from nnvet.oracle.operations.invocation import Array
from nnvet.reference_driver.kernels.registry import kernels

GELU = known_operations()["com.example.gelu::GELU"]
RIGHT = kernels()[GELU]
FUZZED = [SeededChooser(f"gelu/{number}").raw(96) for number in range(60)]
TARGET = Target("reference", in_process=True)
OPTIONS = GraphOptions(
    operations=(3, 6),
    dimensions=(4, 20),
    types=(OperandType.TENSOR_FLOAT32,),
    only=(OperationType.ADD, OperationType.MUL, GELU),
)


def right(call: Call) -> Array:
    """The kernel of the tutorial."""
    found = RIGHT(call)
    return found[0] if isinstance(found, tuple) else found


def cubic_off(call: Call) -> Array:
    """A wrong constant: seen in every value."""
    x = call["input"].array.astype(np.float64)
    return (0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.05 * x**3)))).astype(call["input"].dtype)


def tail_left(call: Call) -> Array:
    """The last element of a large tensor is not computed: specs are smaller."""
    found = right(call)
    if found.size > 100:
        found.reshape(-1)[-1] = call["input"].array.reshape(-1)[-1]
    return found


def row_fails(call: Call) -> Array:
    """Rows of three elements make it fail with an exception that nobody decided on."""
    if call["input"].array.shape[-1] == 3:
        raise IndexError("no fourth element")
    return right(call)


def fails_in_specs(folder: Path) -> bool:
    """Run the generated specs."""
    return _fails(Catalogue([folder]).cases(Selection(("GeneratedTest/*",))))


def fails_in_random_graphs(_folder: Path) -> bool:
    """Run some random graphs in which the operation is one of three."""
    graphs = Batch("RandomModels/Bounds", series=Series((text_of(OPTIONS),) * 12, 0))
    return _fails(graphs.cases(Selection()))


def fails_in_fuzzing(_folder: Path) -> bool:
    """Run inputs of the differential harness; as it has a minute here and not a night, of models of two operations."""
    few = replace(differential._OPTIONS, only=(OperationType.ADD, GELU))
    with patch.object(differential, "_OPTIONS", few), differential.DIFFERENTIAL.opens(TARGET) as run:
        for data in FUZZED:
            try:
                run(data)
            except FuzzFinding:
                return True
    return False


def _fails(cases: Iterator[Case]) -> bool:
    ended = [event for event in run_cases(cases, TARGET) if isinstance(event, Finished)]
    assert ended
    return any(event.outcome.verdict not in ("PASS", "UNSUPPORTED") for event in ended)


WAYS: Mapping[str, Callable[[Path], bool]] = {
    "specs": fails_in_specs,
    "random graphs": fails_in_random_graphs,
    "fuzzing": fails_in_fuzzing,
}


def main() -> None:
    """Plant each fault and try each way."""
    folder = Path(sys.argv[1])
    paths = write_extension(GELU.extension, folder, 1)
    found: dict[str, Any] = {"specs": len(paths), "options": options_of(text_of(OPTIONS)) == OPTIONS}
    for kernel in (right, cubic_off, tail_left, row_fails):
        kernels()[GELU] = kernel
        found[kernel.__name__] = [name for name, fails in WAYS.items() if fails(folder)]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
