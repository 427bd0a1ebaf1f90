"""A model of unsigned 8-bit numbers and its signed twin: a driver prepares both or none, and computes the same.

VTS compares each with expected values of its own (docs/contract/vts-tests.md 7.6). Both may then be off by one, in
opposite directions, so here their codes are compared with each other, too. They need not be equal: halves are rounded
up, away from zero or toward it, and zero is another code for each of the twins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from nnvet.conformance.engine.judging import Array, is_relaxed, shaped, wrong_values
from nnvet.conformance.engine.outcome import fail
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.types import OperandType
from nnvet.oracle import compare, tolerance_for

SHIFT: Final = 128
"""Codes and zero points of the signed twin are lower by this."""


def check_prepared_alike(answers: Mapping[str, str]) -> None:
    """Answers to a model and to its twin, by operand type, in words.

    :raises CaseFailed: they differ.
    """
    if len(set(answers.values())) > 1:
        described = ", ".join(f"{name}: {answer}" for name, answer in answers.items())
        raise fail("prepare/coupling", f"a model and its signed twin differ: {described}")


def check_twins(test: TestModel, results: Sequence[Array], twin_results: Sequence[Array]) -> None:
    """Compare what the twin of ``test`` gives with what ``test`` gives; all results are flat, none if none are due.

    Results agree as they would with expected values: codes may be off by one, apart from the shift.

    :raises CaseFailed: with the worst element of the first output that differs.
    """
    relaxed = is_relaxed(test)
    for position, (result, twin) in enumerate(zip(results, twin_results, strict=True)):
        operand = test.main.outputs[position]
        tolerance = tolerance_for(operand.type, relaxed=relaxed, whole_network=test.traits.is_whole_network)
        if operand.is_ignored or tolerance is None:
            continue
        coupled = operand.type == OperandType.TENSOR_QUANT8_ASYMM
        expected = result.astype(np.int16) - SHIFT if coupled else result
        mismatch = compare(shaped(twin, operand), shaped(expected, operand), tolerance)
        if mismatch is not None:
            raise wrong_values(mismatch, position, "execution/coupling")
