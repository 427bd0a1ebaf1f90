"""Random models of mixed types, of one to a thousand operations: :func:`random_model`.

Campaigns, fuzzers, property-based tests and the mixed tests of ``named.py`` use it; ``generate.py`` makes graphs of one
type. A model grows operation by operation: ``flow.py`` offers the operations and builds one that fits, and
``growth.py`` keeps the graph so far. ``options.py`` has the options, and ``schedule.py`` the operations that come first
in some models of a campaign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from nnvet.generators.random_graphs.chooser import Chooser, SeededChooser, TurnsChooser
from nnvet.generators.random_graphs.draft import DraftOperand
from nnvet.generators.random_graphs.flow import TIES, FlowDraft, Pools, pools_of
from nnvet.generators.random_graphs.growth import Flow, values_of
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.schedule import Cell, scheduled
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info

_ATTEMPTS: Final = 4
"""Number of candidates for an operation; all but the last are rejected if they read nothing or leave many outputs."""
_UNREAD: Final = 0.8
"""Probability that the next operation reads a tensor that nothing reads yet, rather than any tensor."""
_DEGENERATE: Final = 0.15
"""Probability that an operation may have dimensions of the smallest size, where others have two at least."""
_BOOLEANS: Final = 0.2
"""Probability that an operation may start from booleans; it is low, since hardly any leads back to numbers."""
_ENDS: Final = 0.25
"""Probability that an operation is accepted although no other operation can read its outputs."""
_AMPLITUDES: Final = (1.0, 2.0, 2.0, 4.0, 16.0, 64.0)
"""Largest magnitudes of new tensors, of which a graph draws one: some functions saturate large values, others round."""
_DEFAULT: Final = GraphOptions()
_PER_INPUTS: Final = 10
"""Number of operations to which :attr:`GraphOptions.inputs` refers; larger models may have more inputs."""
_OWN: Final = 1
"""Minimal number of operations that a graph does not share with others."""
_SETTLED: Final = 0.1
"""Probability that an operand at the beginning of a graph is a constant, even if the operation has no other input."""
_BEGINNINGS: Final = 1 << 11
"""Number of shared beginnings. Each takes as long to make as a graph, and about 16 kB."""


def random_model(chooser: Chooser, options: GraphOptions = _DEFAULT, name: str = "random") -> TestModel:
    """Return a valid model with inputs, without expected outputs; equal decisions give equal models.

    Every operation reads an output of an earlier operation if some fitting combination can be found.

    :raises ValueError: no operation has a type and rank that the options allow.
    """
    remembered = min(options.remembered, options.operations[0] - _OWN) if options.scheduled is None else 0
    number = chooser.beginning(_BEGINNINGS) if remembered > 0 else None
    flow = Flow(chooser.pick(_AMPLITUDES)) if number is None else _beginning(options, number).copy()
    # One entry for each set of options; it serves all numbers in the schedule.
    pools = pools_of(options if options.scheduled is None else replace(options, scheduled=None))
    for cell in scheduled(options):
        draft = _draft_for_cell(chooser, options, cell)
        flow.add(draft, draft.made, _make_predicate(chooser, options, pools))

    def goes_on() -> bool:
        # Every number of operations is as probable as any other.
        left = options.operations[1] - len(flow.operations)
        is_open = len(flow.operations) >= options.operations[0]
        if left and (not is_open or chooser.boolean(left / (left + 1))):
            _grow(chooser, options, pools, flow)
            return True
        return False

    while chooser.together(goes_on):
        pass
    inputs = _choose_inputs(chooser, options, flow)
    is_relaxed = bool(options.relaxed) and chooser.boolean(options.relaxed)
    return flow.finished(name, inputs, lambda operand: values_of(chooser, operand), is_relaxed=is_relaxed)


@lru_cache(_BEGINNINGS)
def _beginning(options: GraphOptions, number: int) -> Flow:
    """Return a graph of the first operations that many graphs share; it follows from the options and the number."""
    chooser, pools = SeededChooser(f"beginning/{number}"), pools_of(options)
    flow = Flow(chooser.pick(_AMPLITUDES))
    for _ in range(min(options.remembered, options.operations[0] - _OWN)):
        _grow(chooser, options, pools, flow)
    return flow


def _grow(chooser: Chooser, options: GraphOptions, pools: Pools, flow: Flow) -> None:
    """Add an operation to the graph ``flow``."""
    draft = _draft_next(chooser, options, pools, flow)
    flow.add(draft, draft.made, _make_predicate(chooser, options, pools))


def _make_predicate(chooser: Chooser, options: GraphOptions, pools: Pools) -> Callable[[DraftOperand], bool]:
    """Return a function that returns True for an output if a further operation may start from it."""
    usual = pools.usual

    def begins(operand: DraftOperand) -> bool:
        return (operand.type, len(operand.dimensions)) in usual and (
            operand.type != OperandType.TENSOR_BOOL8 or len(options.types) == 1 or chooser.boolean(_BOOLEANS)
        )

    return begins


def _draft_for_cell(chooser: Chooser, options: GraphOptions, cell: Cell) -> FlowDraft:
    """Return an operation for a cell of the schedule; it reads no other operation's output.

    A few attempts are made to find one whose outputs vary enough for others to read.
    """
    for _ in range(_ATTEMPTS):
        turns = TurnsChooser(chooser, cell.signature.operation.name, cell.turn)
        # A separate flow, with numbers as large as those of other operations, or much larger.
        flow = Flow(turns.pick(_AMPLITUDES))
        draft = _build(turns, options, cell.signature, (cell.kind, cell.rank), flow, None)
        draft.finish()
        if draft.goes_on or chooser.boolean(_ENDS):
            break
    return draft


def _draft_next(chooser: Chooser, options: GraphOptions, pools: Pools, flow: Flow) -> FlowDraft:
    """Return the next operation: a candidate that reads an output and does not leave too many, if there is one."""
    for left in reversed(range(_ATTEMPTS)):
        draft, is_apart = _draft_candidate(chooser, options, pools, flow)
        if left and flow.sources and not (draft.reads or is_apart):
            continue
        draft.finish()
        outputs = flow.ends + len(flow.unread) + len(draft.outputs) - draft.reads
        if outputs <= options.outputs and (draft.goes_on or chooser.boolean(_ENDS)):
            break
    return draft


def _draft_candidate(chooser: Chooser, options: GraphOptions, pools: Pools, flow: Flow) -> tuple[FlowDraft, bool]:
    """Return a candidate for the next operation, without output dimensions, and True if it cannot read any output."""
    focus = None
    if flow.sources:
        focus = chooser.pick(flow.unread if flow.unread and chooser.boolean(_UNREAD) else flow.sources)
        kind, rank = focus.type, len(focus.dimensions)
    else:
        kind, rank = chooser.pick(pools.beginnings)
    choices = pools.choices[kind, rank]
    forms = choices.drawn(chooser)
    draft = _build(chooser, options, chooser.pick(chooser.pick(forms)), (kind, rank), flow, focus)
    return draft, forms is choices.apart or forms is choices.costly


def _build(
    chooser: Chooser,
    options: GraphOptions,
    signature: OperationSignature,
    form: tuple[OperandType, int],
    flow: Flow,
    focus: DraftOperand | None,
) -> FlowDraft:
    """Return an operation of a type and rank (``form``) that reads ``focus`` if it can.

    Its outputs have no dimensions yet.
    """
    least, most = options.dimensions
    if least == 1 and most > 1 and not chooser.boolean(_DEGENERATE):
        least = 2
    is_coarse = signature.operation in TIES or (options.boundaries > 0 and chooser.boolean(options.boundaries))
    limits = _make_limits(most, options.elements, least)
    draft = FlowDraft(chooser, limits, signature.operation, *form, signature.level, (), flow=flow)
    draft.focus, draft.is_coarse = focus, is_coarse
    signature.build(draft)
    return draft


_make_limits: Final = lru_cache(1 << 6)(SizeLimits)
"""Cached constructor of limits, since each operation needs some and few of them differ."""


def _choose_inputs(chooser: Chooser, options: GraphOptions, flow: Flow) -> set[int]:
    """Return the indexes of the tensors that become inputs of the model.

    They are chosen among those that no operation computes, and those with which the graph begins are preferred.
    """
    most = options.inputs * max(1, len(flow.operations) // _PER_INPUTS)
    begins = flow.begins[:most]
    inputs = {place for place in begins if not chooser.boolean(_SETTLED)}
    for place in flow.fresh:
        if len(inputs) >= most:
            break
        is_open = place not in begins and type_info(flow.operands[place].type).is_tensor
        # At least one input remains.
        if is_open and (not chooser.boolean(options.constants) or not inputs):
            inputs.add(place)
    return inputs or set(begins[:1])
