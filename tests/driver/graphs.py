"""Small graphs with control flow: vectors of two floats go through operations, branches and loops."""

from __future__ import annotations

from random import Random

import numpy as np

from nnvet.hal.types import DataLocation, Model, OperandLifeTime, OperandType, Operation, OperationType, Subgraph
from tests.driver.questions import EXTREME_FLOATS, Draft, Question, one_in, pick

_F32 = OperandType.TENSOR_FLOAT32
_SIZE = (2,)
_UNARY = (OperationType.RELU, OperationType.TANH, OperationType.FLOOR, OperationType.LOGISTIC, OperationType.RELU6)
_BINARY = (OperationType.ADD, OperationType.SUB, OperationType.MUL, OperationType.DIV)
_TEMPORARY, _OUTPUT = OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_OUTPUT
_DEPTH = 2


def floats(*numbers: float) -> bytes:
    """Float32 data."""
    with np.errstate(over="ignore"):
        return np.array(numbers).astype(np.float32).tobytes()


class Author:
    """Writes the subgraphs of one model; each takes and gives one vector."""

    def __init__(self, chance: Random) -> None:
        """Let ``chance`` decide."""
        self.chance = chance
        self.values = bytearray()
        self.referenced: list[Subgraph] = []

    def graph(self, depth: int) -> Subgraph:
        """A subgraph of one to four steps, with subgraphs nested up to ``depth``."""
        draft = Draft(self.values)
        current = draft.add(_F32, _SIZE, OperandLifeTime.SUBGRAPH_INPUT)
        steps = self.chance.randint(1, 4)
        for step in range(1, steps + 1):
            target = draft.add(_F32, _SIZE, _OUTPUT if step == steps else _TEMPORARY)
            self.step(draft, current, target, depth)
            current = target
        return draft.subgraph()

    def step(self, draft: Draft, source: int, target: int, depth: int) -> None:
        """One operation from ``source`` to ``target``."""
        kind = self.chance.choice(("unary", "binary", "binary", *(("if", "while") if depth else ())))
        if kind == "if":
            branches = [self.reference(draft, self.graph(depth - 1)) for _ in range(2)]
            operation = Operation(OperationType.IF, (self.truth(draft, source), *branches, source), (target,))
        elif kind == "while":
            loop = self.reference(draft, self.condition()), self.reference(draft, self.graph(depth - 1))
            operation = Operation(OperationType.WHILE, (*loop, source), (target,))
        elif kind == "unary":
            operation = Operation(self.chance.choice(_UNARY), (source,), (target,))
        else:
            none = draft.constant(OperandType.INT32, (), bytes(4))
            operation = Operation(self.chance.choice(_BINARY), (source, self.number(draft), none), (target,))
        draft.operations.append(operation)

    def number(self, draft: Draft) -> int:
        """A constant vector of one number."""
        return draft.constant(_F32, (1,), floats(pick(self.chance, (1.0, 0.5, -1.0, 3.0), EXTREME_FLOATS, 4)))

    def truth(self, draft: Draft, source: int) -> int:
        """A condition: whether all of the vector is less than some number, or a constant."""
        if one_in(self.chance, 2):
            return draft.constant(OperandType.TENSOR_BOOL8, (1,), self.chance.choice((b"\0", b"\1", b"\xff")))
        result = draft.add(OperandType.TENSOR_BOOL8, (1,), _TEMPORARY)
        self.compare(draft, source, result)
        return result

    def condition(self) -> Subgraph:
        """The condition of a loop."""
        draft = Draft(self.values)
        source = draft.add(_F32, _SIZE, OperandLifeTime.SUBGRAPH_INPUT)
        self.compare(draft, source, draft.add(OperandType.TENSOR_BOOL8, (1,), _OUTPUT))
        return draft.subgraph()

    def compare(self, draft: Draft, source: int, result: int) -> None:
        """Put into ``result`` whether all elements are less than a number."""
        compared = draft.add(OperandType.TENSOR_BOOL8, _SIZE, _TEMPORARY)
        axes = draft.constant(OperandType.TENSOR_INT32, (1,), bytes(4))
        keep = draft.constant(OperandType.BOOL, (), b"\1")
        draft.operations.append(Operation(OperationType.LESS, (source, self.number(draft)), (compared,)))
        draft.operations.append(Operation(OperationType.REDUCE_ALL, (compared, axes, keep), (result,)))

    def reference(self, draft: Draft, subgraph: Subgraph) -> int:
        """An operand for a new referenced subgraph, or now and then for an old one."""
        if self.referenced and one_in(self.chance, 8):
            offset = self.chance.randrange(len(self.referenced))
        else:
            offset = len(self.referenced)
            self.referenced.append(subgraph)
        return draft.add(OperandType.SUBGRAPH, (), OperandLifeTime.SUBGRAPH, location=DataLocation(offset=offset))


def graph(chance: Random) -> Question:
    """A model with up to two levels of branches and loops."""
    author = Author(chance)
    main = author.graph(_DEPTH)
    vector = floats(*(pick(chance, (0.0, 1.0, -3.5), EXTREME_FLOATS, 3) for _ in range(2)))
    return Question(Model(main, tuple(author.referenced), bytes(author.values)), (vector,))
