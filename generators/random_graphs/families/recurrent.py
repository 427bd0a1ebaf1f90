"""Signatures of RNN, SVDF and the sequence RNNs: small cells whose recurrent weights keep states from growing."""

from __future__ import annotations

from functools import partial
from typing import Final

from nnvet.generators.random_graphs.draft import Draft, DraftOperand
from nnvet.generators.random_graphs.families.values import small, weights
from nnvet.generators.random_graphs.shapes import fixed
from nnvet.generators.random_graphs.signature import further
from nnvet.hal.enums import FeatureLevel, OperationType
from nnvet.hal.operations.recurrent import DOCUMENTED_ACTIVATIONS, SVDF_ACTIVATIONS, RecurrentActivation

_O = OperationType
_MOST_BATCHES, _MOST_STEPS, _MOST_INPUTS, _MOST_UNITS = 4, 5, 10, 10
_MOST_RANK: Final = 3
_MOST_MEMORY: Final = 6
_WEIGHT: Final = 0.5
_STATE: Final = 1.0
_BOUNDED: Final = {
    RecurrentActivation.RELU1: 1.0,
    RecurrentActivation.RELU6: 6.0,
    RecurrentActivation.TANH: 1.0,
    RecurrentActivation.SIGMOID: 1.0,
}


def sequence(draft: Draft) -> tuple[DraftOperand, bool, int, int, int]:
    """Return an input of rank 3: the operand, whether time comes first, steps, batches, and size of a step."""
    time_major = draft.chooser.boolean()
    most = (_MOST_STEPS, _MOST_BATCHES) if time_major else (_MOST_BATCHES, _MOST_STEPS)
    source = draft.input(small(*most, _MOST_INPUTS))
    first, second, size = source.dimensions
    steps, batches = (first, second) if time_major else (second, first)
    return source, time_major, steps, batches, size


def _units(draft: Draft, inputs: int) -> int:
    return draft.chooser.integer(1, min(_MOST_UNITS, int(draft.limits.elements**0.5), draft.limits.elements // inputs))


def _cell(draft: Draft, inputs: int, units: int, batches: int) -> None:
    """Weights, recurrent weights, bias and state; the recurrent weights of a unit sum up to a half at most."""
    weights(draft, (units, inputs), _WEIGHT)
    weights(draft, (units, units), _WEIGHT / units)
    weights(draft, (units,), _WEIGHT)
    weights(draft, (batches, units), _STATE)


def _reach(activation: int, inputs: int, source: float) -> float:
    """Return the bound of the states: h = sum + h / 2 at most."""
    return _BOUNDED.get(RecurrentActivation(activation), 2 * (_WEIGHT + inputs * _WEIGHT * source) + _STATE)


def _rnn(draft: Draft) -> None:
    source = draft.input(small(_MOST_BATCHES, _MOST_INPUTS))
    batches, inputs = source.dimensions
    _cell(draft, inputs, _units(draft, inputs), batches)
    activation = draft.number(draft.chooser.pick(DOCUMENTED_ACTIVATIONS))
    for _ in range(2):
        draft.output(reach=_reach(activation, inputs, source.reach))


def _svdf(draft: Draft) -> None:
    """Build SVDF: each unit is the sum of several filters, and each filter remembers its last products."""
    source = draft.input(small(_MOST_BATCHES, _MOST_INPUTS))
    batches, inputs = source.dimensions
    rank = draft.chooser.integer(1, _MOST_RANK)
    most = min(_MOST_UNITS, draft.limits.elements // (rank * max(inputs, batches * _MOST_MEMORY)))
    units = draft.chooser.integer(1, max(1, most))
    memory = draft.chooser.integer(1, _MOST_MEMORY)
    weights(draft, (units * rank, inputs), _WEIGHT)
    weights(draft, (units * rank, memory), _WEIGHT)
    if draft.chooser.boolean():
        weights(draft, (units,), _WEIGHT)
    else:
        draft.omitted(draft.kind, (0,))
    weights(draft, (batches, memory * units * rank), _STATE)
    draft.number(rank)
    activation = draft.number(draft.chooser.pick(SVDF_ACTIVATIONS))
    product = max(_STATE, inputs * _WEIGHT * source.reach)
    draft.output(reach=product)
    bound = rank * memory * _WEIGHT * product + _WEIGHT
    draft.output(reach=_BOUNDED.get(RecurrentActivation(activation), bound))


def _unidirectional(draft: Draft, *, states: bool) -> None:
    source, time_major, _, batches, inputs = sequence(draft)
    _cell(draft, inputs, _units(draft, inputs), batches)
    activation = draft.number(draft.chooser.pick(DOCUMENTED_ACTIVATIONS))
    draft.number(int(time_major))
    for _ in range(1 + states):
        draft.output(reach=_reach(activation, inputs, source.reach))


def _bidirectional(draft: Draft, *, states: bool) -> None:
    """Build a bidirectional RNN with no, parallel or cross linking of an auxiliary input of the input's size."""
    source, time_major, _, batches, inputs = sequence(draft)
    units = [_units(draft, inputs) for _ in range(2)]
    for count in units:
        _cell(draft, inputs, count, batches)
    linking = draft.chooser.pick(("none", "parallel", "cross"))
    reach = source.reach
    if linking == "none":
        draft.omitted(draft.kind, (0,))
    else:
        reach = max(reach, draft.input(fixed(source.dimensions)).reach)
    for count in units:
        if linking == "cross":
            weights(draft, (count, inputs), _WEIGHT)
        else:
            draft.omitted(draft.kind, (0,))
    activation = draft.number(draft.chooser.pick(DOCUMENTED_ACTIVATIONS))
    draft.truth(time_major)
    merged = draft.truth()
    for _ in range((1 if merged else 2) + 2 * states):
        draft.output(reach=_reach(activation, 2 * inputs, reach))


SIGNATURES: Final = (
    *further(_O.RNN, _rnn, (2,)),
    *further(_O.SVDF, _svdf, (2,)),
    *(
        signature
        for operation, build in (
            (_O.UNIDIRECTIONAL_SEQUENCE_RNN, _unidirectional),
            (_O.BIDIRECTIONAL_SEQUENCE_RNN, _bidirectional),
        )
        for variant, since in (("", FeatureLevel.FL3), ("states", FeatureLevel.FL4))
        for signature in further(operation, partial(build, states=bool(variant)), (3,), variant=variant, since=since)
    ),
)
