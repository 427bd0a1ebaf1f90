"""Compiles a spec model into test subgraphs. Source: docs/contract/spec-format.md 5 and 11."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.model import TestOperand, TestSubgraph, operation_code
from nnvet.generators.specs.model import SpecModel, SpecOperation, SubgraphReference
from nnvet.generators.specs.operands import SpecOperand
from nnvet.hal.types import OperandLifeTime
from nnvet.hal.validation.operands import CONSTANTS

_HOLDERS: Final = (*CONSTANTS, OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT)


@dataclass(frozen=True)
class CompiledSpec:
    """A spec model as test subgraphs without values: the main one, then the referenced ones; ``models`` made them."""

    subgraphs: tuple[TestSubgraph, ...]
    models: tuple[SpecModel, ...]

    def valued(self) -> tuple[TestSubgraph, ...]:
        """The subgraphs with all values.

        :raises ValueError: values do not fit their types.
        """
        return tuple(
            _with_values(subgraph, model, CONSTANTS if position else _HOLDERS)
            for position, (subgraph, model) in enumerate(zip(self.subgraphs, self.models, strict=True))
        )

    def check_counts(self, subgraphs: tuple[TestSubgraph, ...]) -> None:
        """See that every operand of these subgraphs, which have values, has as many as its dimensions take.

        :raises ValueError: one has not; it is named.
        """
        for subgraph, model in zip(subgraphs, self.models, strict=True):
            for name, operand in zip(model.operands, subgraph.operands, strict=True):
                # No values at all: an omitted one. A dimension of 0 is unknown.
                if operand.is_ignored or operand.data is None or not operand.data.size or not operand.dimensions:
                    continue
                wanted = math.prod(operand.dimensions)
                if wanted and operand.data.size != wanted:
                    shape = list(operand.dimensions)
                    raise ValueError(f"operand {name!r}: {operand.data.size} values for {wanted} elements of {shape}")


def compile_model(model: SpecModel) -> CompiledSpec:
    """The model's subgraphs; referenced ones are numbered as a walk through the operands first meets them.

    :raises ValueError: a cycle, or an unknown operation.
    """
    compiler = _Compiler()
    main = compiler.subgraph(model)
    referenced = [compiler.referenced[index] for index in range(len(compiler.models))]
    return CompiledSpec((main, *referenced), (model, *compiler.models))


def _with_values(subgraph: TestSubgraph, model: SpecModel, holders: Container[OperandLifeTime]) -> TestSubgraph:
    operands = tuple(
        operand.finished if operand.lifetime in holders else outline
        for operand, outline in zip(model.operands.values(), subgraph.operands, strict=True)
    )
    return TestSubgraph(operands, subgraph.operations, subgraph.input_indexes, subgraph.output_indexes)


class _Compiler:
    """Keeps the numbers of referenced models while subgraphs are compiled."""

    def __init__(self) -> None:
        self.indexes: dict[int, int] = {}
        self.models: list[SpecModel] = []
        self.referenced: dict[int, TestSubgraph] = {}

    def subgraph(self, model: SpecModel) -> TestSubgraph:
        graph = GraphBuilder()
        indexes = {name: graph.add(self.operand(operand)) for name, operand in model.operands.items()}
        for operation in sort_operations(model.operations):
            inputs, outputs = (
                [indexes[operand.name] for operand in side] for side in (operation.inputs, operation.outputs)
            )
            graph.operation(operation_code(operation.kind), tuple(inputs), *outputs)
        return graph.finish_subgraph()

    def operand(self, operand: SpecOperand) -> TestOperand:
        if isinstance(operand, SubgraphReference):
            return replace(operand.outline, data=np.array([self.reference(operand.model)], np.uint32))
        return operand.outline

    def reference(self, model: SpecModel) -> int:
        if id(model) not in self.indexes:
            # The number is taken before the model's own references are met.
            index = self.indexes[id(model)] = len(self.models)
            self.models.append(model)
            self.referenced[index] = self.subgraph(model)
        return self.indexes[id(model)]


def sort_operations(operations: list[SpecOperation]) -> list[SpecOperation]:
    """Operations in declared order, but each behind the operations that make its inputs (depth first).

    :raises ValueError: an operation needs its own result.
    """
    producers: dict[str, list[SpecOperation]] = {}
    for operation in operations:
        for operand in operation.outputs:
            producers.setdefault(operand.name, []).append(operation)
    if producers.keys().isdisjoint(operand.name for operation in operations for operand in operation.inputs):
        return operations
    finished: dict[SpecOperation, bool] = {}
    ordered: list[SpecOperation] = []
    for root in operations:
        stack = [] if finished.get(root) else [root]
        while stack:
            operation = stack[-1]
            finished[operation] = False
            needed = (maker for operand in operation.inputs for maker in producers.get(operand.name, ()))
            waiting = next((maker for maker in needed if not finished.get(maker)), None)
            if waiting is None:
                finished[operation] = True
                ordered.append(stack.pop())
            elif waiting in finished:
                raise ValueError(f"the operations form a cycle through {waiting.kind}")
            else:
                stack.append(waiting)
    return ordered
