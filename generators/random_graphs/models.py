"""Random models of mixed types, of one operation to a thousand: what campaigns, fuzzers and properties are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Final

from msgspec.structs import replace

from nnvet.generators.graphs.model import TestModel
from nnvet.generators.random_graphs.catalogue import whole_pool
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.flow import Flow, FlowDraft
from nnvet.generators.random_graphs.generate import assembled
from nnvet.generators.random_graphs.operands import DraftOperand, DraftRole
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.generators.random_graphs.values import values_of
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.operand_types import type_info

_O = OperationType
_ATTEMPTS: Final = 4
"""So often an operation is exchanged for another one if it reads nothing, or would leave too many outputs."""
_UNREAD: Final = 0.8
"""Probability that the next operation reads what nothing reads yet, rather than anything."""
_DEGENERATE: Final = 0.15
"""Probability that an operation may have dimensions of the smallest size, where others have two at least."""
_TIES: Final = (_O.EQUAL, _O.NOT_EQUAL)
"""Operations that say little unless values are equal."""
_SELDOM: Final = (*_TIES, _O.RANK, _O.FILL, _O.HASHTABLE_LOOKUP)
"""Operations of which an output does not depend on the values of the inputs, or hardly ever."""
_SELDOM_TRUTHS: Final = (
    *(_O.RANK, _O.HASHTABLE_LOOKUP, _O.GREATER, _O.GREATER_EQUAL, _O.LESS, _O.LESS_EQUAL),
    *(_O.REDUCE_ALL, _O.REDUCE_ANY),
)
"""The same for truth values: what tells them apart keeps them even, what orders them makes them all alike."""
_KEPT: Final = (
    *(OperandType.TENSOR_BOOL8, OperandType.TENSOR_QUANT8_ASYMM_SIGNED, OperandType.TENSOR_QUANT8_SYMM),
    *(OperandType.TENSOR_QUANT16_SYMM, OperandType.TENSOR_QUANT16_ASYMM),
)
"""Types that CAST leaves as they are, which is seldom wanted, too."""
_RARELY: Final = 0.02
_TRUTHS: Final = 0.2
"""Probability that operations of truth values follow a comparison: nothing leads back to numbers."""
_ENDS: Final = 0.25
"""Probability that an operation is taken of whose outputs nothing can be made."""
_APART: Final = 0.1
"""Probability that one is taken that can read no output at all."""
_AMPLITUDES: Final = (1.0, 2.0, 2.0, 4.0, 16.0, 64.0)
"""Largest magnitudes of the real numbers of new tensors, a graph one: some functions saturate, others round."""
_DEFAULT: Final = GraphOptions()


def random_model(chooser: Chooser, options: GraphOptions = _DEFAULT, name: str = "random") -> TestModel:
    """A valid model with inputs, without expected outputs; equal decisions give equal models.

    Every operation reads an output of an earlier one if any can be found that goes with it.

    :raises ValueError: no operation has a type and rank that the options allow.
    """
    pools = _pools(options)
    flow = Flow(chooser.pick(_AMPLITUDES))
    drafts: list[FlowDraft] = []

    def begins(one: DraftOperand) -> bool:
        return (one.type, len(one.dimensions)) in pools and (
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


_Choices = Sequence[Sequence[OperationSignature]]
"""Signatures, by operation."""
_Pools = Mapping[tuple[int, int], tuple[_Choices, _Choices]]
"""Signatures by type and rank: the usual ones and the seldom ones; the first is never empty."""


@cache
def _pools(options: GraphOptions) -> _Pools:
    """What operations may be made of.

    :raises ValueError: no operation has a type and rank that the options allow.
    """
    found: dict[tuple[int, int], tuple[_Choices, _Choices]] = {}
    for kind, rank in product(options.types, options.ranks):
        seldom: tuple[OperationType, ...] = _SELDOM_TRUTHS if kind == OperandType.TENSOR_BOOL8 else _SELDOM
        seldom += (_O.CAST,) * (kind in _KEPT)
        forms: dict[OperationType, list[OperationSignature]] = {}
        for one in whole_pool(kind, rank, options.level):
            if not options.only or one.operation in options.only:
                forms.setdefault(one.operation, []).append(one)
        usual = [forms for operation, forms in forms.items() if operation not in seldom]
        others = [forms for operation, forms in forms.items() if operation in seldom]
        if usual or others:
            found[kind, rank] = usual or others, others
    if not found:
        raise ValueError("no operation has a type and rank that the options allow")
    return found


def _next(chooser: Chooser, options: GraphOptions, pools: _Pools, flow: Flow) -> FlowDraft:
    """The next operation."""
    draft = _draft(chooser, options, pools, flow)
    for _ in range(_ATTEMPTS - 1):
        outputs = flow.ends + len(flow.unread) + len(draft.outputs) - draft.reads
        is_apart = flow.sources and not draft.reads
        is_end = not draft.goes_on
        if outputs <= options.outputs and not (
            (is_apart and (draft.made or not chooser.boolean(_APART))) or (is_end and not chooser.boolean(_ENDS))
        ):
            break
        draft = _draft(chooser, options, pools, flow)
    return draft


def _draft(chooser: Chooser, options: GraphOptions, pools: _Pools, flow: Flow) -> FlowDraft:
    """One operation that may be next."""
    focus = None
    if flow.sources:
        focus = chooser.pick(flow.unread if flow.unread and chooser.boolean(_UNREAD) else flow.sources)
        kind, rank = int(focus.type), len(focus.dimensions)
    else:
        # Types that few operations have begin few graphs.
        kind, rank = chooser.pick([pair for pair, (usual, _) in pools.items() for _ in usual])
    usual, seldom = pools[kind, rank]
    signature = chooser.pick(chooser.pick(seldom if seldom and chooser.boolean(_RARELY) else usual))
    least, most = options.dimensions
    if least == 1 and most > 1 and not chooser.boolean(_DEGENERATE):
        least = 2
    draft = FlowDraft(
        chooser,
        SizeLimits(most, options.elements, least),
        signature.operation,
        OperandType(kind),
        rank,
        signature.level,
        flow=flow,
        focus=focus,
        is_coarse=chooser.boolean(options.boundaries) or signature.operation in _TIES,
    )
    signature.build(draft)
    draft.finish()
    return draft


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
