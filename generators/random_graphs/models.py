"""Random models of mixed types, of one operation to a thousand: what campaigns, fuzzers and properties are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from nnvet.generators.graphs.model import TestModel
from nnvet.generators.random_graphs.choices import TIES, Pools, pools_of
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.flow import Flow, FlowDraft
from nnvet.generators.random_graphs.generate import assembled
from nnvet.generators.random_graphs.operands import DraftOperand, DraftRole
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.random_graphs.values import values_of
from nnvet.hal.enums import OperandLifeTime, OperandType
from nnvet.hal.operand_types import type_info

_ATTEMPTS: Final = 4
"""So often an operation is exchanged for another one if it reads nothing, or would leave too many outputs."""
_UNREAD: Final = 0.8
"""Probability that the next operation reads what nothing reads yet, rather than anything."""
_DEGENERATE: Final = 0.15
"""Probability that an operation may have dimensions of the smallest size, where others have two at least."""
_TRUTHS: Final = 0.2
"""Probability that operations of truth values follow a comparison: nothing leads back to numbers."""
_ENDS: Final = 0.25
"""Probability that an operation is taken of whose outputs nothing can be made."""
_AMPLITUDES: Final = (1.0, 2.0, 2.0, 4.0, 16.0, 64.0)
"""Largest magnitudes of the real numbers of new tensors, a graph one: some functions saturate, others round."""
_DEFAULT: Final = GraphOptions()


def random_model(chooser: Chooser, options: GraphOptions = _DEFAULT, name: str = "random") -> TestModel:
    """A valid model with inputs, without expected outputs; equal decisions give equal models.

    Every operation reads an output of an earlier one if any can be found that goes with it.

    :raises ValueError: no operation has a type and rank that the options allow.
    """
    pools = pools_of(options)
    usual = pools.usual
    flow = Flow(chooser.pick(_AMPLITUDES))
    drafts: list[FlowDraft] = []

    def begins(one: DraftOperand) -> bool:
        return (one.type, len(one.dimensions)) in usual and (
            one.type != OperandType.TENSOR_BOOL8 or len(options.types) == 1 or chooser.boolean(_TRUTHS)
        )

    def goes_on() -> bool:
        # Every number of operations is as probable as any other.
        left = options.operations[1] - len(drafts)
        is_open = len(drafts) >= options.operations[0]
        if left and (not is_open or chooser.boolean(left / (left + 1))):
            draft = _next(chooser, options, pools, flow)
            flow.add(draft, begins)
            drafts.append(draft)
            return True
        return False

    while chooser.together(goes_on):
        pass
    level = max(draft.level for draft in drafts)
    operands = list({id(one): one for draft in drafts for one in (*draft.inputs, *draft.outputs)}.values())
    lifetimes = _lifetimes(chooser, options, operands, drafts)
    model = assembled(name, drafts, operands, lifetimes, level, lambda one: values_of(chooser, one))
    return replace(model, is_relaxed=True) if options.relaxed and chooser.boolean(options.relaxed) else model


def _next(chooser: Chooser, options: GraphOptions, pools: Pools, flow: Flow) -> FlowDraft:
    """The next operation."""
    for left in reversed(range(_ATTEMPTS)):
        draft, is_apart = _begun(chooser, options, pools, flow)
        if left and flow.sources and not (draft.reads or is_apart):
            continue
        draft.finish()
        outputs = flow.ends + len(flow.unread) + len(draft.outputs) - draft.reads
        if outputs <= options.outputs and (draft.goes_on or chooser.boolean(_ENDS)):
            break
    return draft


def _begun(chooser: Chooser, options: GraphOptions, pools: Pools, flow: Flow) -> tuple[FlowDraft, bool]:
    """One operation that may be next, whose outputs have no dimensions yet, and whether it cannot read any output."""
    focus = None
    if flow.sources:
        focus = chooser.pick(flow.unread if flow.unread and chooser.boolean(_UNREAD) else flow.sources)
        kind, rank = focus.type, len(focus.dimensions)
    else:
        kind, rank = chooser.pick(pools.beginnings)
    choices = pools.choices[kind, rank]
    forms = choices.drawn(chooser)
    signature = chooser.pick(chooser.pick(forms))
    least, most = options.dimensions
    if least == 1 and most > 1 and not chooser.boolean(_DEGENERATE):
        least = 2
    is_coarse = signature.operation in TIES or (options.boundaries > 0 and chooser.boolean(options.boundaries))
    limits = SizeLimits(most, options.elements, least)
    draft = FlowDraft(chooser, limits, signature.operation, kind, rank, signature.level, (), flow=flow)
    draft.focus, draft.is_coarse = focus, is_coarse
    signature.build(draft)
    return draft, forms is choices.apart or forms is choices.costly


def _lifetimes(
    chooser: Chooser, options: GraphOptions, operands: Sequence[DraftOperand], drafts: Sequence[FlowDraft]
) -> list[OperandLifeTime]:
    """Of the tensors that nothing computes some are inputs: those that the graph begins with before all others."""
    read = {id(one) for draft in drafts for one in draft.inputs}
    begins = [one for draft in drafts if not draft.reads for one in draft.made[:1]]
    inputs = {id(one) for one in begins[: options.inputs]}
    lifetimes = []
    for one in operands:
        if one.role is DraftRole.OUTPUT:
            is_read = id(one) in read
            lifetimes.append(OperandLifeTime.TEMPORARY_VARIABLE if is_read else OperandLifeTime.SUBGRAPH_OUTPUT)
            continue
        if one.role is DraftRole.SUBGRAPH:
            lifetimes.append(OperandLifeTime.SUBGRAPH)
            continue
        if one.role is DraftRole.INPUT and id(one) not in inputs and type_info(one.type).is_tensor:
            is_wanted = len(inputs) < options.inputs and not chooser.boolean(options.constants)
            inputs |= {id(one)} if is_wanted or not inputs else set()
        is_input = id(one) in inputs
        lifetimes.append(OperandLifeTime.SUBGRAPH_INPUT if is_input else OperandLifeTime.CONSTANT_COPY)
    return lifetimes
