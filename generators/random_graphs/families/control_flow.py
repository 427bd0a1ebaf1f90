"""Signatures of IF and WHILE: small subgraphs over tensors of one shape, and loops that a counter ends.

``catalogue.py`` collects the table :data:`SIGNATURES`. The builders make the subgraphs as well (:class:`_Body`), and
set the dimensions of the outputs, which no declaration can infer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from nnvet.generators.random_graphs.draft import Draft, DraftOperand, reach_of
from nnvet.generators.random_graphs.families.values import codes, reals
from nnvet.generators.random_graphs.shapes import fixed, free
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestOperand, TestSubgraph
from nnvet.hal.enums import FeatureLevel, OperandLifeTime, OperandType, OperationType
from nnvet.hal.operand_types import type_info

_T = OperandType
_O = OperationType
_FLOATS: Final = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT16)
_CODES: Final = (_T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED)
_TYPES: Final = (*_FLOATS, _T.TENSOR_INT32, *_CODES, _T.TENSOR_BOOL8)
_MOST_STEPS: Final = 3
"""Most operations in a row for one result of a subgraph."""
_MOST_INPUTS: Final = 3
"""Most tensors that IF passes to its branches."""
_MOST_OUTPUTS: Final = 2
"""Most results of IF."""
_MOST_ROUNDS: Final = 5
"""Most iterations of a loop."""
_LATEST_START: Final = 2
"""Largest initial value of a loop's counter."""
_CONSTANT: Final = 2.0
"""Largest magnitude of real constants in subgraphs."""
_INTEGER: Final = 255
"""Largest integer constant in subgraphs."""

Reach = Callable[[float, float], float]
"""Function that bounds the magnitude of a result by the bounds of both operands."""


def _larger(first: float, second: float) -> float:
    return max(first, second)


def _sum(first: float, second: float) -> float:
    return first + second


_EXTREMA: Final[dict[OperationType, Reach]] = {_O.MAXIMUM: _larger, _O.MINIMUM: _larger}
_SUMS: Final[dict[OperationType, Reach]] = {_O.ADD: _sum, _O.SUB: _sum}
_WITH_ACTIVATION: Final = (_O.ADD, _O.SUB)
_BINARY: Final[dict[OperandType, dict[OperationType, Reach]]] = {
    **dict.fromkeys((*_FLOATS, _T.TENSOR_INT32, *_CODES), _EXTREMA | _SUMS),
    _T.TENSOR_BOOL8: {_O.LOGICAL_AND: _larger, _O.LOGICAL_OR: _larger},
}
"""Operations of two tensors that keep the shape, and bounds of their results."""
_UNARY: Final[dict[OperandType, tuple[OperationType, ...]]] = {
    **dict.fromkeys(_FLOATS, (_O.ABS, _O.NEG, _O.RELU, _O.RELU6)),
    **dict.fromkeys(_CODES, (_O.RELU, _O.RELU6)),
    _T.TENSOR_INT32: (_O.ABS, _O.NEG),
    _T.TENSOR_BOOL8: (_O.LOGICAL_NOT,),
}
_BOUNDING: Final = (_O.TANH, _O.RELU1)
"""Operations that keep floats from growing from round to round."""


@dataclass
class _Body:
    """Builder of a subgraph whose inputs have the types and shapes of operands of the operation that runs it."""

    draft: Draft
    sources: Sequence[DraftOperand]
    graph: GraphBuilder = field(default_factory=GraphBuilder)

    def __post_init__(self) -> None:
        """Add the inputs."""
        lifetime = OperandLifeTime.SUBGRAPH_INPUT
        self.inputs = [
            self.graph.add(TestOperand(source.type, source.dimensions, source.scale, source.zero_point, lifetime))
            for source in self.sources
        ]

    def result(self, like: DraftOperand, *, is_output: bool) -> int:
        """Add an operand to the subgraph, with the type and shape of an operand of the main graph; return its index."""
        lifetime = OperandLifeTime.SUBGRAPH_OUTPUT if is_output else OperandLifeTime.TEMPORARY_VARIABLE
        return self.graph.add(TestOperand(like.type, like.dimensions, like.scale, like.zero_point, lifetime))

    def steps(self, count: int, places: Sequence[int], *, bounded: bool = False) -> float:
        """Add a chain of ``count`` operations on some of the inputs; return the bound of the values of its output."""
        chooser, like = self.draft.chooser, self.sources[places[0]]
        place = chooser.pick(places)
        value, reach = self.inputs[place], self.sources[place].reach
        for left in reversed(range(count)):
            output = self.result(like, is_output=not left and not bounded)
            reach = self._step(value, reach, output, places)
            value = output
        if bounded:
            bounding = chooser.pick(_BOUNDING)
            self.graph.operation(bounding, (value,), self.result(like, is_output=True))
            return 1.0
        return reach

    def _step(self, value: int, reach: float, output: int, places: Sequence[int]) -> float:
        chooser, like = self.draft.chooser, self.sources[places[0]]
        kind = like.type
        if chooser.boolean():
            self.graph.operation(chooser.pick(_UNARY[kind]), (value,), output)
            return reach
        operation = chooser.pick(tuple(_BINARY[kind]))
        if chooser.boolean():
            place = chooser.pick(places)
            other, size = self.inputs[place], self.sources[place].reach
        else:
            other, size = self._constant(like)
        activation = (self.graph.scalar(_T.INT32, 0),) if operation in _WITH_ACTIVATION else ()
        self.graph.operation(operation, (value, other, *activation), output)
        return _BINARY[kind][operation](reach, size)

    def _constant(self, like: DraftOperand) -> tuple[int, float]:
        chooser, dimensions = self.draft.chooser, like.dimensions
        if like.type in _FLOATS:
            values, reach = reals(chooser, dimensions, _CONSTANT), _CONSTANT
        elif like.type in _CODES:
            values, reach = codes(chooser, like.type, dimensions), reach_of(like.type, like.quantization)
        else:
            most = 1 if like.type == _T.TENSOR_BOOL8 else _INTEGER
            values, reach = abs(codes(chooser, _T.TENSOR_INT32, dimensions, most)), float(most)
        return self.graph.constant(like.type, dimensions, values, *like.quantization), reach


def _tensors(draft: Draft, count: int) -> list[DraftOperand]:
    """Return inputs of one shape, type and quantisation."""
    first = draft.input(free(draft.rank))
    quantization = first.quantization if draft.is_quantized else None
    return [first, *(draft.input(fixed(first.dimensions), quantization=quantization) for _ in range(count - 1))]


def _branches(draft: Draft) -> None:
    """Build IF, whose branches compute different results of the same inputs."""
    chooser = draft.chooser
    draft.given(_T.TENSOR_BOOL8, [chooser.boolean()], is_constant=False)
    tensors = _tensors(draft, chooser.integer(1, _MOST_INPUTS))
    count = chooser.integer(1, _MOST_OUTPUTS)
    reach, bodies = 0.0, []
    for _ in range(2):
        body = _Body(draft, tensors)
        for _ in range(count):
            reach = max(reach, body.steps(chooser.integer(1, _MOST_STEPS), range(len(tensors))))
        bodies.append(body.graph.finish_subgraph())
    _insert(draft, 1, bodies)
    for _ in range(count):
        draft.same(tensors[0], reach=reach).dimensions = tensors[0].dimensions


def _insert(draft: Draft, place: int, graphs: Sequence[TestSubgraph]) -> None:
    """Insert subgraphs, which come before the operands that are passed to them but are built after them."""
    passed = draft.inputs[place:]
    del draft.inputs[place:]
    for graph in graphs:
        draft.subgraph(graph)
    draft.inputs += passed


def _loop(draft: Draft) -> None:
    """Build a WHILE that passes a counter and a tensor from round to round; its body may read a second tensor.

    The counter is an output of the loop, or exists only inside it.
    """
    chooser = draft.chooser
    rounds, start = chooser.integer(0, _MOST_ROUNDS), chooser.integer(0, _LATEST_START)
    is_result = chooser.boolean()
    tensors = _tensors(draft, chooser.integer(1, 2))
    counter = draft.given(_T.TENSOR_INT32, [start], is_constant=False)
    counter.reach = float(start + rounds)
    value, *extra = tensors
    order = [counter, value] if is_result else [value, counter]
    draft.inputs[-len(tensors) - 1 :] = [*order, *extra]
    body, reach = _looped(draft, [*order, *extra], counter, value, rounds)
    _insert(draft, 0, (_condition(draft, [*order, *extra], counter, start + rounds), body))
    if is_result:
        draft.same(counter).dimensions = counter.dimensions
    draft.same(value, reach=reach).dimensions = value.dimensions


def _condition(draft: Draft, sources: Sequence[DraftOperand], counter: DraftOperand, end: int) -> TestSubgraph:
    body = _Body(draft, sources)
    limit = body.graph.constant(_T.TENSOR_INT32, (1,), [end])
    truth = body.result(DraftOperand(_T.TENSOR_BOOL8, (1,)), is_output=True)
    body.graph.operation(_O.LESS, (body.inputs[sources.index(counter)], limit), truth)
    return body.graph.finish_subgraph()


def _looped(
    draft: Draft, sources: Sequence[DraftOperand], counter: DraftOperand, value: DraftOperand, rounds: int
) -> tuple[TestSubgraph, float]:
    """Return the body, whose outputs are in the order of the inputs, and a bound of the value after the last round."""
    body, reach = _Body(draft, sources), 0.0
    for carried in sources[:2]:
        if carried is counter:
            graph = body.graph
            step, none = graph.constant(_T.TENSOR_INT32, (1,), [1]), graph.scalar(_T.INT32, 0)
            place = body.inputs[sources.index(counter)]
            graph.operation(_O.ADD, (place, step, none), body.result(counter, is_output=True))
        else:
            places = [place for place, source in enumerate(sources) if source is not counter]
            count = draft.chooser.integer(1, _MOST_STEPS)
            body.steps(count, places, bounded=value.type in _FLOATS)
            largest = max(*(sources[place].reach for place in places), float(_INTEGER))
            # A value that is added to itself doubles with every operation.
            reach = largest * 2.0 ** (count * rounds)
    bounded = value.type in _FLOATS or type_info(value.type).is_quantized or value.type == _T.TENSOR_BOOL8
    return body.graph.finish_subgraph(), (max(1.0, value.reach) if bounded else reach)


SIGNATURES: Final = tuple(
    OperationSignature(operation, FeatureLevel.FL4, "", _TYPES, (1, 2, 3, 4), build, in_cts=False)
    for operation, build in ((_O.IF, _branches), (_O.WHILE, _loop))
)
