"""The sum of two vectors, with arguments anywhere in memory of any type; values are whole numbers, so it is exact."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np

from nnvet.conformance.engine.config import MemoryType, TestConfig
from nnvet.conformance.engine.executing import Answer, execute
from nnvet.conformance.engine.handmade import basic_config, prepare_test, require
from nnvet.conformance.engine.judging import check_reached
from nnvet.conformance.engine.outcome import CaseFailed, fail
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.hal_model import create_pool
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.graphs.small_models import sum_of_two
from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import Memory, close, mapped
from nnvet.hal.types import DataLocation, Request, RequestArgument

BYTES: Final = 2 * mmap.PAGESIZE
"""Size of each tensor: more than a page, so that memory which lacks one is noticed."""

_A, _B = (np.arange(BYTES // 4, dtype=np.float32) % period for period in (97, 89))
A: Final = _A.tobytes()
B: Final = _B.tobytes()
INPUTS: Final = ((0, A), (BYTES, B))
"""Both inputs side by side, with their offsets."""
PLACES: Final = ((0, 0), (0, BYTES), (1, 0))
"""Inputs in pool 0, the output in pool 1."""

_SUM: Final = (_A + _B).tobytes()
_TEST: Final = sum_of_two("memory_types", _A, _B, _A + _B)

Place = tuple[int, int]
"""Index of a pool, and offset in it."""


def sum_with_constant() -> TestModel:
    """The sum of an input and of a constant in a pool."""
    graph, kind, shape = GraphBuilder(), OperandType.TENSOR_FLOAT32, _A.shape
    inputs = (graph.input(kind, shape, _A), graph.shared(kind, shape, _B), graph.scalar(OperandType.INT32, 0))
    graph.operation(OperationType.ADD, inputs, graph.output(kind, shape, _A + _B))
    return graph.finish("sum_with_constant")


@contextmanager
def good_pools() -> Iterator[tuple[Memory, Memory]]:
    """The inputs, and memory for the output."""
    source, output = create_pool(2 * BYTES, INPUTS), create_pool(BYTES, ())
    try:
        yield source, output
    finally:
        close(source)
        close(output)


def request_of(memories: Sequence[Memory], places: Sequence[Place] = PLACES) -> Request:
    """A request for the sum; ``places`` are those of the inputs and of the output."""
    arguments = [RequestArgument(location=DataLocation(index, offset, BYTES)) for index, offset in places]
    return Request(tuple(arguments[:2]), tuple(arguments[2:]), tuple(memories))


@dataclass(frozen=True)
class Adder:
    """The sum that the requests of these checks ask for, prepared by the driver under test."""

    subject: Subject
    prepared: PreparedModel

    def run(self, request: Request) -> Answer:
        """Execute synchronously, if the level can.

        :raises CaseFailed: UNSUPPORTED, if an adapter cannot pass on the request.
        """
        answer = execute(self.prepared, request, basic_config(self.subject), self.subject.timeout_s)[0]
        check_reached(answer)
        return answer

    def check(self, memories: Sequence[Memory], places: Sequence[Place] = PLACES) -> None:
        """Execute; the output must be the sum of the inputs.

        :raises CaseFailed: it is not, or the execution fails.
        """
        answer = self.run(request_of(memories, places))
        if answer.status is not ErrorStatus.NONE:
            raise unexpected("memory/map", answer, (ErrorStatus.NONE,))
        index, offset = places[-1]
        with mapped(memories[index], writable=False) as view:
            if view[offset : offset + BYTES] != _SUM:
                raise fail("execution/output.value", "the output is not the sum of the inputs")


def adder(subject: Subject, *types: MemoryType) -> Adder:
    """The sum, prepared once for all cases.

    :raises CaseFailed: UNSUPPORTED if the driver's level does not have memory of all ``types``.
    """
    config = basic_config(subject)
    require(subject, config, *(TestConfig(config.executor, memory=memory_type) for memory_type in types))
    if _TEST.name not in subject.shared:
        subject.shared[_TEST.name] = prepare_test(subject, _TEST, config)
    return Adder(subject, subject.shared[_TEST.name])


def unexpected(rule: str, answer: Answer, expected: Sequence[ErrorStatus]) -> CaseFailed:
    """The verdict on an answer with another status than those expected."""
    names = " or ".join(status.name for status in expected)
    reason = f"status {answer.status.name}, expected {names}: {answer.message}"
    return fail(rule, reason, status=answer.status.name, driver_rule=answer.rule)
