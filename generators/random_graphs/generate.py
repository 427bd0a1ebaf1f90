"""Random models: one operation, or a graph of several; with inputs, without expected outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.model import Array, TestModel, TestOperand, element_type
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.operands import DraftOperand, DraftRole, random_values
from nnvet.generators.random_graphs.shapes import WIDE, SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.hal.enums import FeatureLevel, OperandLifeTime, OperandType
from nnvet.hal.operand_types import type_info

_ATTEMPTS: Final = 3
"""So often an operation is exchanged for another one if none of its inputs could be wired."""
_CONSTANT: Final = 0.5
"""Probability that an input of an operation that is not wired becomes a constant of the model."""


def single_operation(
    chooser: Chooser, name: str, signature: OperationSignature, kind: OperandType, rank: int, limits: SizeLimits = WIDE
) -> TestModel:
    """A model of one operation."""
    return _finished(chooser, name, [_draft(chooser, signature, kind, rank, limits, ())], signature.level)


def random_graph(
    chooser: Chooser,
    name: str,
    signatures: Sequence[OperationSignature],
    kind: OperandType,
    rank: int,
    operations: int,
    limits: SizeLimits = WIDE,
) -> TestModel:
    """A graph of so many operations, whose primary type and rank are given; inputs are wired to earlier outputs."""
    drafts: list[Draft] = []
    earlier: list[DraftOperand] = []
    level = 1
    for _ in range(operations):
        for _ in range(_ATTEMPTS):
            draft = _draft(chooser, chooser.pick(signatures), kind, rank, limits, earlier)
            if any(operand.role is DraftRole.OUTPUT for operand in draft.inputs):
                break
        drafts.append(draft)
        earlier += draft.outputs
        level = max(level, draft.level)
    return _finished(chooser, name, drafts, level)


def _draft(
    chooser: Chooser,
    signature: OperationSignature,
    kind: OperandType,
    rank: int,
    limits: SizeLimits,
    earlier: Sequence[DraftOperand],
) -> Draft:
    draft = Draft(chooser, limits, signature.operation, kind, rank, signature.level, earlier)
    signature.build(draft)
    draft.finish()
    return draft


def _finished(chooser: Chooser, name: str, drafts: Sequence[Draft], level: int) -> TestModel:
    """Operands in the order of the operations, inputs before outputs, those that are used twice once."""
    operands = list({id(operand): operand for draft in drafts for operand in (*draft.inputs, *draft.outputs)}.values())
    read = Counter(id(operand) for draft in drafts for operand in draft.inputs)
    lifetimes = _lifetimes(chooser, operands, [read[id(operand)] for operand in operands])
    return assemble(name, drafts, operands, lifetimes, level, partial(random_values, chooser))


def assemble(
    name: str,
    drafts: Sequence[Draft],
    operands: Sequence[DraftOperand],
    lifetimes: Sequence[OperandLifeTime],
    level: int,
    values: Callable[[DraftOperand], Array],
) -> TestModel:
    """The model of drafted operations, whose operands have these lifetimes; ``values`` makes those of new tensors."""
    references = [reference for draft in drafts for reference in draft.subgraphs]
    for number, (operand, _) in enumerate(references):
        operand.data = np.array([number], element_type(operand.type))
    graph = GraphBuilder()
    indexes = {
        id(operand): graph.add(_test_operand(operand, lifetime, values))
        for operand, lifetime in zip(operands, lifetimes, strict=True)
    }
    for draft in drafts:
        inputs, outputs = ([indexes[id(operand)] for operand in side] for side in (draft.inputs, draft.outputs))
        graph.operation(draft.operation, tuple(inputs), *outputs)
    test = graph.finish(name, FeatureLevel(level), tuple(subgraph for _, subgraph in references))
    tolerance = max(draft.distribution_tolerance for draft in drafts)
    return replace(test, expected_multinomial_distribution_tolerance=tolerance) if tolerance else test


def _lifetimes(chooser: Chooser, operands: Sequence[DraftOperand], counts: Sequence[int]) -> list[OperandLifeTime]:
    """Scalars and half of the tensors become constants, as long as one input is left."""
    left = sum(operand.role is DraftRole.INPUT for operand in operands)
    lifetimes = []
    for operand, count in zip(operands, counts, strict=True):
        if operand.role is DraftRole.INPUT:
            is_scalar = not type_info(operand.type).is_tensor
            becomes_constant = left > 1 and (is_scalar or chooser.boolean(_CONSTANT))
            left -= becomes_constant
            lifetime = OperandLifeTime.CONSTANT_COPY if becomes_constant else OperandLifeTime.SUBGRAPH_INPUT
        elif operand.role is DraftRole.OUTPUT:
            lifetime = OperandLifeTime.TEMPORARY_VARIABLE if count else OperandLifeTime.SUBGRAPH_OUTPUT
        elif operand.role is DraftRole.SUBGRAPH:
            lifetime = OperandLifeTime.SUBGRAPH
        else:
            lifetime = OperandLifeTime.CONSTANT_COPY
        lifetimes.append(lifetime)
    return lifetimes


def _test_operand(
    operand: DraftOperand, lifetime: OperandLifeTime, values: Callable[[DraftOperand], Array]
) -> TestOperand:
    data = operand.data
    if operand.role is DraftRole.OMITTED:
        data = np.empty(0, element_type(operand.type))
    elif operand.role is DraftRole.INPUT and data is None:
        data = values(operand)
    return TestOperand(
        operand.type,
        operand.dimensions,
        operand.scale,
        operand.zero_point,
        lifetime,
        operand.channel_quant,
        is_ignored=not operand.is_checked,
        data=data,
    )
