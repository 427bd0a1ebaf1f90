"""Digests of the shape of a graph, and of all that a test is.

Identity of failures: what makes two the same one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import asdict

from nnvet.generators.graphs.model import TestModel, TestSubgraph, operation_name
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.operand_types import type_name
from nnvet.reports.events import Verdict


class Identity(msgspec.Struct, frozen=True):
    """A failure as it has to stay while its test is made smaller.

    ``rule`` is the one that is broken; ``cause`` is what the driver itself gives away, a rule of an operation, the
    place of an exception or of a fatal signal; empty: nothing.
    """

    verdict: Verdict
    rule: str
    cause: str = ""

    def __str__(self) -> str:
        """In words."""
        return " ".join((self.verdict, self.rule, *([f"({self.cause})"] if self.cause else [])))


_L: Final = OperandLifeTime
_DIGITS: Final = 6
_GIVEN: Final = {
    _L.SUBGRAPH_INPUT: "input",
    _L.CONSTANT_COPY: "constant",
    _L.CONSTANT_REFERENCE: "constant",
    _L.NO_VALUE: "omitted",
    _L.SUBGRAPH: "subgraph",
}


def fingerprint(identity: Identity, test: TestModel) -> str:
    """Twelve hexadecimal digits, equal for failures of one verdict and rule in graphs of one shape.

    The shape of a graph is its operations, which of them feeds which, and the types of operands; neither dimensions nor
    values, nor the order of operations that do not depend on each other.
    """
    return _digest([identity.verdict, identity.rule, [_shape(graph) for graph in test.subgraphs]]).hex()


def content_digest(test: TestModel) -> bytes:
    """A digest of everything that a driver sees of a test; equal tests have equal ones."""
    described = [
        [
            [
                {**asdict(operand), "data": None if operand.data is None else operand.data.tobytes()}
                for operand in graph.operands
            ],
            [[operation.type, operation.inputs, operation.outputs] for operation in graph.operations],
            graph.input_indexes,
            graph.output_indexes,
        ]
        for graph in test.subgraphs
    ]
    return _digest([test.is_relaxed, described], 16)


def _digest(content: Any, size: int = _DIGITS) -> bytes:
    return hashlib.blake2s(msgspec.msgpack.encode(content), digest_size=size).digest()


def _shape(graph: TestSubgraph) -> list[Any]:
    """The graph with operands numbered as they are first used, in an order that its shape alone decides."""
    numbers: dict[int, int] = {}

    def named(index: int) -> list[Any]:
        operand = graph.operands[index]
        kind = _GIVEN.get(OperandLifeTime(operand.lifetime), "")
        return [numbers.setdefault(index, len(numbers)), type_name(operand.type), kind]

    order = _canonical_order(graph)
    return [
        [
            operation_name(operation.type),
            [named(index) for index in operation.inputs],
            [named(index) for index in operation.outputs],
        ]
        for operation in (graph.operations[position] for position in order)
    ]


def _canonical_order(graph: TestSubgraph) -> list[int]:
    """Positions of the operations, each behind those that it reads; among equals by all that lies before and behind."""
    before = _histories(graph, range(len(graph.operations)), backwards=False)
    behind = _histories(graph, range(len(graph.operations) - 1, -1, -1), backwards=True)
    maker = {index: position for position, operation in enumerate(graph.operations) for index in operation.outputs}
    left, order = set(range(len(graph.operations))), list[int]()
    while left:
        ready = [
            position
            for position in left
            if all(maker.get(index) not in left for index in graph.operations[position].inputs)
        ]
        first = min(ready, key=lambda position: (before[position], behind[position], position))
        order.append(first)
        left.remove(first)
    return order


def _histories(graph: TestSubgraph, positions: Sequence[int], *, backwards: bool) -> Mapping[int, bytes]:
    """A digest of each operation and of all that it depends on; ``backwards``: of all that depends on it."""
    digests: dict[int, bytes] = {}
    known: dict[int, list[bytes]] = {}
    for position in positions:
        one = graph.operations[position]
        sources, targets = (one.outputs, one.inputs) if backwards else (one.inputs, one.outputs)
        seen = [[type_name(graph.operands[index].type), sorted(known.get(index, []))] for index in sources]
        digests[position] = _digest([operation_name(one.type), seen])
        for slot, index in enumerate(targets):
            known.setdefault(index, []).append(digests[position] + bytes([slot % 256]))
    return digests
