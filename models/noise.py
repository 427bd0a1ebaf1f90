"""Noise of a backend's outputs beside that of honest arithmetic, for the same examples.

The signal is what the oracle makes of an example; noise is what outputs differ from it by. The yardstick is the oracle
once more in the coarsest arithmetic that is honest: float32 with all sums in the order of their terms; where float16
is allowed, all operands kept in float16; for codes, each result one of its two neighbours by chance (stochastic
rounding), which every rule of rounding is better than. Networks amplify noise, some examples a hundred times as much
as others: so the difference in decibels is taken example by example.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from nnvet.conformance.oracle_study.codes import real_codes, saturated
from nnvet.conformance.oracle_study.honest import HONEST, Run
from nnvet.formats.tflite.importer import ImportedModel
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import Operand
from nnvet.models.datasets import Array, StepSequence
from nnvet.models.golden import FP32_RULE
from nnvet.models.margins import ArithmeticKind, kind_of
from nnvet.oracle.execution import evaluate
from nnvet.oracle.operations.invocation import Invocation, Meaning

EXAMPLES: Final = 32
STEPS: Final = 8
"""So many steps of a sequence are looked at."""
BUDGET_S: Final = 20.0
"""CPU time that may be spent on one model; the examples that fit are taken."""
_FEWEST: Final = 2
_HALF_A_CODE: Final = 0.5
_FLOAT16_ROUNDING: Final = 2.0**-12
_TINY: Final = 1e-30

Key = tuple[int, int]
Outputs = Mapping[Key, Array]
"""First outputs by sequence and step."""


@dataclass(frozen=True)
class Yardstick:
    """Noise of honest arithmetic, dB relative to the signal, and the signal itself, for some sequences."""

    exact: dict[Key, Array]
    noise_db: dict[int, float]
    output: Operand
    kind: ArithmeticKind

    def measure(self, outputs: Outputs) -> dict[int, float]:
        """Noise of ``outputs`` by sequence, dB; of those sequences that are complete here."""
        found = {}
        for sequence in self.noise_db:
            keys = [key for key in self.exact if key[0] == sequence]
            if all(key in outputs for key in keys):
                pairs = [(outputs[key], self.exact[key]) for key in keys]
                found[sequence] = noise_db(pairs, self.output, self.kind)
        return found


def noise_db(pairs: Sequence[tuple[Array, Array]], output: Operand, kind: ArithmeticKind) -> float:
    """Power of the differences between outputs and exact ones relative to that of the exact ones, dB.

    Nothing is less than :func:`_least` says. Infinite where an output is no number.
    """
    actual, exact = (
        np.concatenate([np.asarray(pair[i], np.float64) - output.zero_point for pair in pairs]) for i in (0, 1)
    )
    signal = float(np.sum(exact * exact)) or 1.0
    noise = float(np.sum((actual - exact) ** 2))
    return 10 * float(np.log10(max(noise, _least(exact, output, kind)) / signal)) if np.isfinite(noise) else np.inf


def _least(exact: Array, output: Operand, kind: ArithmeticKind) -> float:
    """Power of what is no noise.

    That is half a code in one element; of float32 whatever keeps NNAPI's rule for it; of float16 half a unit in the
    last place.
    """
    if type_info(output.type).is_quantized:
        return _HALF_A_CODE**2
    absolute, relative = FP32_RULE if kind is ArithmeticKind.FLOAT32 else (0.0, _FLOAT16_ROUNDING)
    return float(np.sum((absolute + relative * np.abs(exact)) ** 2)) or _TINY


def make_yardstick(imported: ImportedModel, sequences: Sequence[StepSequence]) -> Yardstick | None:
    """The yardstick for examples spread over the data; None for a model that the oracle cannot run."""
    kind = kind_of(imported.model)
    places = np.unique(np.linspace(0, len(sequences) - 1, min(EXAMPLES, len(sequences))).astype(int))
    exact: dict[Key, Array] = {}
    noise: dict[int, float] = {}
    output = imported.model.main.operands[imported.model.main.output_indexes[0]]
    started = time.process_time()
    try:
        for place in np.random.default_rng(0).permutation(places):
            index = int(place)
            signal = _outputs(imported, sequences[index], evaluate)
            honest = _outputs(imported, sequences[index], _RUNS[kind])
            exact |= {(index, step): array for step, array in enumerate(signal)}
            noise[index] = noise_db(list(zip(honest, signal, strict=True)), output, kind)
            if time.process_time() - started > BUDGET_S and len(noise) >= _FEWEST:
                break
    except (KeyError, HalError):
        return None
    return Yardstick(exact, noise, output, kind)


def _outputs(imported: ImportedModel, sequence: StepSequence, run: Callable[..., Any]) -> list[Array]:
    """The first output of the first steps of a sequence."""
    main = imported.model.main
    inputs: list[Any] = [
        np.zeros(main.operands[index].dimensions, type_info(main.operands[index].type).dtype)
        for index in main.input_indexes
    ]
    for state in imported.states:
        inputs[state.input_index][...] = state.zero
    found = []
    for step in sequence.steps[:STEPS]:
        inputs[0] = np.frombuffer(step.load(), inputs[0].dtype).reshape(inputs[0].shape)
        outputs = run(imported.model, inputs)
        for state in imported.states:
            inputs[state.input_index] = outputs[state.output_index]
        found.append(outputs[0].reshape(-1))
    return found


def _by_chance(model: Any, inputs: Sequence[Array]) -> list[Any]:
    """Codes of real results, each rounded up or down by chance."""
    chance = np.random.default_rng(0)

    def compute(meaning: Meaning, call: Invocation) -> Any:
        codes = real_codes(meaning, call)
        if codes is None:
            return meaning.compute(call)
        return saturated(np.floor(codes + chance.random(codes.shape)), call.output)

    return evaluate(model, inputs, compute)


def _named(name: str) -> Run:
    return next(driver.run for driver in HONEST if driver.name == name)


_RUNS: Final[dict[ArithmeticKind, Callable[..., Any]]] = {
    ArithmeticKind.FLOAT32: _named("float32-forward"),
    ArithmeticKind.FLOAT16: _named("float16-storage"),
    ArithmeticKind.CODES: _by_chance,
}
