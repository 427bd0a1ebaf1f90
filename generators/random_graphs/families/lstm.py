"""LSTM and the sequence LSTMs, with every combination of the operands that may be omitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.draft import Draft, DraftOperand
from nnvet.generators.random_graphs.families.recurrent import sequence
from nnvet.generators.random_graphs.families.values import small, weights
from nnvet.generators.random_graphs.shapes import fixed
from nnvet.generators.random_graphs.signature import further
from nnvet.hal.enums import FeatureLevel, OperationType
from nnvet.hal.operations.lstm import AUXILIARY, CELL, LAYER_NORM, STATES
from nnvet.hal.operations.recurrent import CellOperand, RecurrentActivation

_O = OperationType
_MOST_BATCHES, _MOST_INPUTS, _MOST_UNITS = 4, 8, 8
_WEIGHT: Final = 0.7
_STATE: Final = 1.0
_LARGEST_CLIP: Final = 1.5
_ACTIVATIONS: Final = (
    # Without an activation the reference computes something else than the contract says.
    RecurrentActivation.RELU,
    RecurrentActivation.RELU6,
    RecurrentActivation.TANH,
    RecurrentActivation.SIGMOID,
)


@dataclass(frozen=True)
class LstmForm:
    """The optional operands that are given, equally in both directions."""

    cifg: bool
    peephole: bool
    projection: bool
    projection_bias: bool
    layer_norm: bool

    def has(self, operand: CellOperand) -> bool:
        """Return True if an operand of the tables of cells is given."""
        name = operand.name
        if self.cifg and name.startswith(("input_to_input", "recurrent_to_input", "cell_to_input", "input_gate")):
            return False
        if name.startswith("cell_to_"):
            return self.peephole
        if name.endswith("layer_norm_weights"):
            return self.layer_norm and not (self.cifg and name.startswith("input"))
        if name.startswith("aux_input_to_input"):
            return not self.cifg
        if name.startswith("projection"):
            return self.projection and (self.projection_bias or name == "projection_weights")
        return True


def random_form(chooser: Chooser, *, layer_norm: bool = True) -> LstmForm:
    """Return a random combination of optional operands."""
    cifg, peephole, projection, bias, normalised = (chooser.boolean() for _ in range(5))
    return LstmForm(cifg, peephole, projection, bias, normalised and layer_norm)


def sizes(draft: Draft, form: LstmForm, batches: int, inputs: int) -> dict[str, int]:
    """Return sizes by symbol; without projection there are as many outputs as units."""
    most = min(_MOST_UNITS, int(draft.limits.elements**0.5))
    units = draft.chooser.integer(1, most)
    return {"B": batches, "I": inputs, "U": units, "O": draft.chooser.integer(1, most) if form.projection else units}


def _cell(draft: Draft, operands: Iterable[CellOperand], form: LstmForm, by_symbol: Mapping[str, int]) -> None:
    for operand in operands:
        if form.has(operand):
            weights(draft, tuple(by_symbol[symbol] for symbol in operand.shape), _WEIGHT)
        else:
            draft.omitted(draft.kind, (0,) * len(operand.shape))


def _settings(draft: Draft) -> tuple[float, float]:
    """Add activation and clips; return bounds of the cell state for each step, and of the projection."""
    activation = draft.number(draft.chooser.pick(_ACTIVATIONS))
    grows = activation == RecurrentActivation.RELU
    cell_clip = draft.chooser.real(0.5, _LARGEST_CLIP) if grows or draft.chooser.boolean() else 0.0
    projection_clip = draft.chooser.real(0.1, _LARGEST_CLIP) if draft.chooser.boolean() else 0.0
    for clip in (cell_clip, projection_clip):
        draft.given(draft.float_scalar, clip)
    return (cell_clip or 6.0), projection_clip


def _outputs(draft: Draft, count: int, state: float, by_symbol: Mapping[str, int], steps: int) -> None:
    units = by_symbol["U"]
    bound = _STATE + steps * state
    for _ in range(count):
        draft.output(reach=max(bound, units * _WEIGHT * bound + _WEIGHT))


def _single(draft: Draft, *, layer_norm: bool) -> None:
    source = draft.input(small(_MOST_BATCHES, _MOST_INPUTS))
    form = random_form(draft.chooser, layer_norm=layer_norm)
    by_symbol = sizes(draft, form, *source.dimensions)
    _cell(draft, (*CELL, *STATES), form, by_symbol)
    bound, _ = _settings(draft)
    if layer_norm:
        _cell(draft, LAYER_NORM, form, by_symbol)
    # The contents of the scratch buffer are not specified.
    draft.output(reach=0.0, connects=False, is_checked=False)
    _outputs(draft, 3, bound, by_symbol, 1)


def _unidirectional(draft: Draft, *, states: bool) -> None:
    _, time_major, steps, batches, inputs = sequence(draft)
    form = random_form(draft.chooser)
    by_symbol = sizes(draft, form, batches, inputs)
    _cell(draft, (*CELL, *STATES), form, by_symbol)
    bound, _ = _settings(draft)
    draft.truth(time_major)
    _cell(draft, LAYER_NORM, form, by_symbol)
    _outputs(draft, 3 if states else 1, bound, by_symbol, steps)


def _bidirectional(draft: Draft, *, states: bool) -> None:
    """Build a bidirectional LSTM with no, parallel or cross linking of an auxiliary input."""
    source, time_major, steps, batches, inputs = sequence(draft)
    form = random_form(draft.chooser)
    forward, backward = (sizes(draft, form, batches, inputs) for _ in range(2))
    for table in (CELL, STATES):
        for by_symbol in (forward, backward):
            _cell(draft, table, form, by_symbol)
    # Before HAL 1.3 only both cells can read it.
    linking = draft.chooser.pick(("none", "cross", "parallel") if states else ("none", "cross"))
    _auxiliary(draft, source, linking)
    for by_symbol in (forward, backward):
        if linking == "cross":
            _cell(draft, AUXILIARY, form, by_symbol)
        else:
            for operand in AUXILIARY:
                draft.omitted(draft.kind, (0,) * len(operand.shape))
    bound, _ = _settings(draft)
    merged = draft.truth()
    draft.truth(time_major)
    for by_symbol in (forward, backward):
        _cell(draft, LAYER_NORM, form, by_symbol)
    larger = max((forward, backward), key=lambda direction: direction["U"])
    _outputs(draft, (1 if merged else 2) + 4 * states, bound, larger, steps)


def _auxiliary(draft: Draft, source: DraftOperand, linking: str) -> None:
    if linking == "none":
        draft.omitted(draft.kind, (0, 0, 0))
    else:
        draft.input(fixed(source.dimensions))


SIGNATURES: Final = (
    *further(_O.LSTM, partial(_single, layer_norm=False), (2,)),
    *further(_O.LSTM, partial(_single, layer_norm=True), (2,), variant="layer_norm", since=FeatureLevel.FL3),
    *(
        signature
        for operation, build in (
            (_O.UNIDIRECTIONAL_SEQUENCE_LSTM, _unidirectional),
            (_O.BIDIRECTIONAL_SEQUENCE_LSTM, _bidirectional),
        )
        for variant, since in (("", FeatureLevel.FL3), ("states", FeatureLevel.FL4))
        for signature in further(operation, partial(build, states=bool(variant)), (3,), variant=variant, since=since)
    ),
)
