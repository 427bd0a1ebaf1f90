"""Honest drivers: what they are made of, and the bundled driver as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from msgspec import structs

from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import Model
from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.execution import evaluate
from nnvet.oracle.operations.invocation import Invocation, Meaning
from nnvet.reference_driver.compiled import compile_model
from nnvet.reference_driver.executor import GraphExecution

Run: TypeAlias = Callable[[Model, Sequence[Array | None]], list[Array] | None]
"""The outputs of a model for inputs, as :func:`nnvet.oracle.execution.evaluate` has them; None: it is not taken."""

MIXED: Final = "mixed"
"""Graphs of all types, not relaxed."""
FLOATS: Final = frozenset(("float32", "float16", "relaxed", MIXED))
CODES: Final = frozenset(("uint8", "int8", "per-channel", MIXED))
RELAXED: Final = frozenset(("relaxed",))


OwnRule: TypeAlias = Callable[[Invocation], Any]
"""Results of an operation in a driver's own arithmetic; None where it has none of its own."""


@dataclass(frozen=True)
class HonestDriver:
    """A driver that is right, and the kinds of models (see ``models``) for which it is another one.

    ``liberties``: those that it needs beside what everybody has; ``words``: how it computes, for the documentation.
    """

    name: str
    kinds: frozenset[str]
    run: Run
    words: str = ""
    liberties: tuple[str, ...] = ()


def own(rule: OwnRule) -> Run:
    """Return a driver with an arithmetic of its own; it does not take models in which nothing is computed so."""

    def run(model: Model, inputs: Sequence[Array | None]) -> list[Array] | None:
        count = 0

        def compute(meaning: Meaning, call: Invocation) -> Any:
            nonlocal count
            found = rule(call)
            count += found is not None
            return meaning.compute(call) if found is None else found

        outputs = evaluate(model, inputs, compute)
        return outputs if count else None

    return run


def by_kernels(model: Model, inputs: Sequence[Array | None]) -> list[Array]:
    """Return the kernels of the bundled driver: float32, most sums as NumPy and its matrix product make them."""
    compiled = compile_model(model)
    arguments = compiled.main.arguments
    values = [
        _with_value(arguments[index], array) for index, array in zip(model.main.input_indexes, inputs, strict=True)
    ]
    outputs = [arguments[index] for index in model.main.output_indexes]
    return [result.array for result in GraphExecution(compiled).run(values, outputs)]


def _with_value(argument: Argument, array: Array | None) -> Argument:
    return structs.replace(argument, omitted=True) if array is None else structs.replace(argument, value=array)
