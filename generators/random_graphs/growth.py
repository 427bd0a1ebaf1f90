"""A graph of mixed types in the making: the tensors that further operations may read, and what the model is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from nnvet.generators.graphs.model import Array, TestModel, TestOperand, TestOperation, TestSubgraph, element_type
from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.operands import DraftOperand, DraftRole
from nnvet.hal.enums import FeatureLevel, OperandLifeTime, OperandType

FEW: Final = 4
"""Tensors with fewer different values are the end of a graph: what is made of them has few, too."""
_TEMPORARY: Final = OperandLifeTime.TEMPORARY_VARIABLE
_OUTPUT: Final = OperandLifeTime.SUBGRAPH_OUTPUT
_CONSTANT: Final = OperandLifeTime.CONSTANT_COPY
# Members of enumerations: finding one takes longer than most of what is done with it.
_SUBGRAPH_INPUT: Final = OperandLifeTime.SUBGRAPH_INPUT
_INPUT_ROLE: Final = DraftRole.INPUT
_OUTPUT_ROLE: Final = DraftRole.OUTPUT
_OMITTED_ROLE: Final = DraftRole.OMITTED


@dataclass(eq=False, slots=True)
class Flow:
    """The operations so far, and their tensors: by type those that may be read, and those that nothing reads yet.

    ``amplitude`` is the largest magnitude of the real numbers of new tensors, a power of two. ``sources`` are the
    outputs that an operation may begin with, ``ends`` counts the others. ``operands`` are those of the model in their
    order, each of which knows its place; ``ready`` has them as they are in the model, outputs as if they were read, and
    None for new tensors, which have no values yet. ``fresh`` are the places of these, ``begins`` of those among them
    that operations read first which read no output, ``outputs`` those of outputs, ``read`` those of all that is read.
    Nothing changes an operand once its operation is added, so that copies of a flow share them.
    """

    amplitude: float = 2.0
    readable: dict[int, list[DraftOperand]] = field(default_factory=dict)
    unread: list[DraftOperand] = field(default_factory=list)
    sources: list[DraftOperand] = field(default_factory=list)
    ends: int = 0
    operands: list[DraftOperand] = field(default_factory=list)
    ready: list[TestOperand | None] = field(default_factory=list)
    operations: list[TestOperation] = field(default_factory=list)
    fresh: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    read: set[int] = field(default_factory=set)
    subgraphs: list[TestSubgraph] = field(default_factory=list)
    level: int = 1
    tolerance: float = 0.0

    def copy(self) -> Flow:
        """Another graph that begins alike."""
        return Flow(
            self.amplitude,
            {kind: ones[:] for kind, ones in self.readable.items()},
            self.unread[:],
            self.sources[:],
            self.ends,
            self.operands[:],
            self.ready[:],
            self.operations[:],
            self.fresh[:],
            self.begins[:],
            self.outputs[:],
            self.read.copy(),
            self.subgraphs[:],
            self.level,
            self.tolerance,
        )

    def add(self, draft: Draft, made: Sequence[DraftOperand], can_begin: Callable[[DraftOperand], bool]) -> None:
        """A finished operation, which ``made`` new tensors; ``can_begin``: an operation of its type may read it first.

        What the operation made can be read from now on, and what it reads is read.
        """
        unread = self.unread
        for operand in draft.inputs:
            if operand in unread:
                unread.remove(operand)
        for operand in (*made, *draft.outputs):
            if operand.connects:
                self.readable.setdefault(operand.type, []).append(operand)
        begins = [
            output for output in draft.outputs if output.connects and output.distinct >= FEW and can_begin(output)
        ]
        self.ends += len(draft.outputs) - len(begins)
        unread += begins
        self.sources += begins
        self._assemble(draft, made)

    def _assemble(self, draft: Draft, made: Sequence[DraftOperand]) -> None:
        reads = False
        for operand, graph in draft.subgraphs:
            operand.data = np.array([len(self.subgraphs)], element_type(OperandType.SUBGRAPH))
            self.subgraphs.append(graph)
        for operand in draft.inputs:
            if operand.place < 0:
                self._place(operand)
            elif operand.role is _OUTPUT_ROLE:
                reads = True
        inputs = tuple([operand.place for operand in draft.inputs])
        self.read.update(inputs)
        for operand in draft.outputs:
            self._place(operand)
        outputs = [output.place for output in draft.outputs]
        self.outputs += outputs
        self.operations.append(TestOperation(draft.operation, inputs, tuple(outputs)))
        if made and not reads:
            self.begins.append(made[0].place)
        self.level = max(self.level, draft.level)
        self.tolerance = max(self.tolerance, draft.distribution_tolerance)

    def _place(self, operand: DraftOperand) -> None:
        operand.place = len(self.operands)
        self.operands.append(operand)
        role = operand.role
        if role is _INPUT_ROLE:
            self.fresh.append(operand.place)
            self.ready.append(None)
        elif role is _OUTPUT_ROLE:
            self.ready.append(as_operand(operand, _TEMPORARY, None))
        else:
            self.ready.append(_known(operand))

    def finished(
        self, name: str, inputs: set[int], values: Callable[[DraftOperand], Array], *, is_relaxed: bool
    ) -> TestModel:
        """The model, whose inputs are the new tensors at these places; ``values`` makes those of new tensors."""
        ready, operands = self.ready[:], self.operands
        for place in self.fresh:
            one = operands[place]
            lifetime = _SUBGRAPH_INPUT if place in inputs else _CONSTANT
            ready[place] = as_operand(one, lifetime, values(one) if one.data is None else one.data)
        outputs = [place for place in self.outputs if place not in self.read]
        for place in outputs:
            ready[place] = as_operand(operands[place], _OUTPUT, None)
        main = TestSubgraph(
            tuple(ready),  # type: ignore[arg-type]
            tuple(self.operations),
            tuple(sorted(inputs)),
            tuple(outputs),
        )
        level = FeatureLevel(self.level)
        return TestModel(name, main, tuple(self.subgraphs), is_relaxed, self.tolerance, min_supported_version=level)


def as_operand(operand: DraftOperand, lifetime: OperandLifeTime, data: Array | None) -> TestOperand:
    """An operand of a model, with a value if it has one."""
    return TestOperand(
        operand.type,
        operand.dimensions,
        operand.scale,
        operand.zero_point,
        lifetime,
        operand.channel_quant,
        not operand.is_checked,
        data,
    )


def _known(operand: DraftOperand) -> TestOperand:
    """A constant whose signature gave its value, a subgraph, or an operand without a value."""
    if operand.role is _OMITTED_ROLE:
        return as_operand(operand, _CONSTANT, np.empty(0, element_type(operand.type)))
    lifetime = OperandLifeTime.SUBGRAPH if operand.role is DraftRole.SUBGRAPH else _CONSTANT
    return as_operand(operand, lifetime, operand.data)
