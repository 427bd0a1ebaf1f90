"""Small graphs with control flow: vectors of two floats go through operations, branches and loops."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hal.types import DataLocation, Model, OperandLifeTime, OperandType, Operation, OperationType, Subgraph
from tests.driver.questions import EXTREME_FLOATS, Draft, Question

_F32 = OperandType.TENSOR_FLOAT32
_SIZE = (2,)
_UNARY = (OperationType.RELU, OperationType.TANH, OperationType.FLOOR, OperationType.ABS, OperationType.NEG)
_BINARY = (OperationType.ADD, OperationType.SUB, OperationType.MUL, OperationType.DIV)
_TEMPORARY, _OUTPUT = OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_OUTPUT


class Author:
    """Writes the subgraphs of one model; each takes and gives one vector."""

    def __init__(self, draw: st.DrawFn) -> None:
        """Draw decisions from ``draw``."""
        self.draw = draw
        self.values = bytearray()
        self.referenced: list[Subgraph] = []

    def graph(self, depth: int) -> Draft:
        """A subgraph of one to four steps, with subgraphs nested up to ``depth``."""
        draft = Draft(self.values)
        current = draft.add(_F32, _SIZE, OperandLifeTime.SUBGRAPH_INPUT)
        steps = self.draw(st.integers(1, 4))
        for step in range(steps):
            is_last = step == steps - 1
            target = draft.add(_F32, _SIZE, _OUTPUT if is_last else _TEMPORARY)
            self.step(draft, current, target, depth)
            current = target
        return draft

    def step(self, draft: Draft, source: int, target: int, depth: int) -> None:
        """One operation from ``source`` to ``target``."""
        kinds = ("unary", "binary", "binary", *(("if", "while") if depth else ()))
        kind = self.draw(st.sampled_from(kinds))
        if kind == "if":
            branches = [self.reference(draft, self.graph(depth - 1).subgraph()) for _ in range(2)]
            inputs = (self.truth(draft, source), *branches, source)
            draft.operations.append(Operation(OperationType.IF, inputs, (target,)))
        elif kind == "while":
            loop = (self.reference(draft, self.condition()), self.reference(draft, self.graph(depth - 1).subgraph()))
            draft.operations.append(Operation(OperationType.WHILE, (*loop, source), (target,)))
        elif kind == "unary":
            draft.operations.append(Operation(self.draw(st.sampled_from(_UNARY)), (source,), (target,)))
        else:
            activation = draft.constant(OperandType.INT32, (), np.int32(0).tobytes())
            operation = self.draw(st.sampled_from(_BINARY))
            draft.operations.append(Operation(operation, (source, self.number(draft), activation), (target,)))

    def number(self, draft: Draft) -> int:
        """A constant vector of one number."""
        number = self.draw(st.sampled_from((1.0, 0.5, -1.0, 3.0, *EXTREME_FLOATS)))
        with np.errstate(over="ignore"):
            return draft.constant(_F32, (1,), np.float32(number).tobytes())

    def truth(self, draft: Draft, source: int) -> int:
        """A condition: whether all of the vector is less than some number, or a constant."""
        condition = (OperandType.TENSOR_BOOL8, (1,))
        if self.draw(st.booleans()):
            return draft.constant(*condition, self.draw(st.sampled_from((b"\0", b"\1", b"\xff"))))
        compared = draft.add(OperandType.TENSOR_BOOL8, _SIZE, _TEMPORARY)
        result = draft.add(*condition, _TEMPORARY)
        self.reduce(draft, source, compared, result)
        return result

    def condition(self) -> Subgraph:
        """The condition of a loop."""
        draft = Draft(self.values)
        source = draft.add(_F32, _SIZE, OperandLifeTime.SUBGRAPH_INPUT)
        compared = draft.add(OperandType.TENSOR_BOOL8, _SIZE, _TEMPORARY)
        self.reduce(draft, source, compared, draft.add(OperandType.TENSOR_BOOL8, (1,), _OUTPUT))
        return draft.subgraph()

    def reduce(self, draft: Draft, source: int, compared: int, result: int) -> None:
        """Whether all elements are less than a number."""
        axes = draft.constant(OperandType.TENSOR_INT32, (1,), np.int32(0).tobytes())
        keep = draft.constant(OperandType.BOOL, (), b"\1")
        draft.operations.append(Operation(OperationType.LESS, (source, self.number(draft)), (compared,)))
        draft.operations.append(Operation(OperationType.REDUCE_ALL, (compared, axes, keep), (result,)))

    def reference(self, draft: Draft, subgraph: Subgraph) -> int:
        """An operand for a new referenced subgraph, or now and then for an old one."""
        if not self.referenced or self.draw(st.integers(0, 7)):
            self.referenced.append(subgraph)
            offset = len(self.referenced) - 1
        else:
            offset = self.draw(st.integers(0, len(self.referenced) - 1))
        return draft.add(OperandType.SUBGRAPH, (), OperandLifeTime.SUBGRAPH, location=DataLocation(offset=offset))


@st.composite
def graphs(draw: st.DrawFn) -> Question:
    """A model with up to two levels of branches and loops."""
    author = Author(draw)
    main = author.graph(2).subgraph()
    vector = draw(st.tuples(*[st.sampled_from((0.0, 1.0, -3.5, *EXTREME_FLOATS))] * 2))
    with np.errstate(over="ignore"):
        data = np.array(vector).astype(np.float32).tobytes()
    return Question(Model(main, tuple(author.referenced), bytes(author.values)), (data,))
