"""The form of honest (correct) drivers of the study, and the bundled driver as one of them.

A :class:`HonestDriver` maps a model and its inputs to outputs. :func:`make_run` makes such a function from a rule that
computes some operations in an arithmetic of its own; ``*_drivers.py`` have the rules, and ``honest.py`` lists all
drivers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from msgspec import structs

from nnvet.hal.extensions import with_known_extensions
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import Model
from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.execution import evaluate
from nnvet.oracle.operations.invocation import Invocation, Meaning
from nnvet.reference_driver.compiled import compile_model
from nnvet.reference_driver.executor import GraphExecution

Run: TypeAlias = Callable[[Model, Sequence[Array | None]], list[Array] | None]
"""Function that returns the outputs of a model, as :func:`nnvet.oracle.execution.evaluate` does; None: not computed."""

MIXED: Final = "mixed"
"""The kind of graphs of all types that are not relaxed; the other kinds are in ``models.KINDS``."""
# Sets of kinds of models for which a driver is tried.
FLOATS: Final = frozenset(("float32", "float16", "relaxed", MIXED))
CODES: Final = frozenset(("uint8", "int8", "per-channel", MIXED))
RELAXED: Final = frozenset(("relaxed",))


OwnRule: TypeAlias = Callable[[Invocation], Any]
"""Function that computes an operation in a driver's own arithmetic; None: the driver has no own one for it."""


@dataclass(frozen=True)
class HonestDriver:
    """A correct driver, and the kinds of models for which it differs from the others.

    ``liberties`` are deviations from usual arithmetic that the driver declares, so that its bounds are wider
    (docs/oracle.md). ``words`` say how it computes, for the documentation.
    """

    name: str
    kinds: frozenset[str]
    run: Run
    words: str = ""
    liberties: tuple[str, ...] = ()


def make_run(rule: OwnRule) -> Run:
    """Return the function of a driver that computes by ``rule``; for models in which the rule is of no use: None."""

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


def run_kernels(model: Model, inputs: Sequence[Array | None]) -> list[Array]:
    """Return the outputs by the kernels of the bundled driver: float32, with most sums by NumPy's matrix product."""
    compiled = compile_model(with_known_extensions(model))
    arguments = compiled.main.arguments
    values = [
        _set_value(arguments[index], array) for index, array in zip(model.main.input_indexes, inputs, strict=True)
    ]
    outputs = [arguments[index] for index in model.main.output_indexes]
    return [result.array for result in GraphExecution(compiled).run(values, outputs)]


def _set_value(argument: Argument, array: Array | None) -> Argument:
    return structs.replace(argument, omitted=True) if array is None else structs.replace(argument, value=array)
