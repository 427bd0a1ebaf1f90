"""Questions to the driver in robustness tests: a model with data for its inputs, sane or not.

Everything is decided by a :class:`random.Random`: a seeded one for many questions in little time, or one of
Hypothesis, which can shrink what it finds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

import numpy as np

from nnvet.hal.operand_types import OPERAND_TYPES, ExtensionType, type_info
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import ANY_TYPE, Formal, OperationDeclaration, Signature
from nnvet.hal.types import (
    DataLocation,
    ExtensionNameAndPrefix,
    ExtensionParams,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    Request,
    Subgraph,
    SymmPerChannelQuantParams,
)
from nnvet.reference_driver.example_extension import EXAMPLE

T = TypeVar("T")

CONTROL_FLOW = (OperationType.IF, OperationType.WHILE)
ORDINARY = (
    tuple(declaration for declaration in declarations().values() if declaration.type not in CONTROL_FLOW)
    + EXAMPLE.operations
)
TENSORS = tuple(code for code, info in OPERAND_TYPES.items() if info.is_tensor)
NAMES = (ExtensionNameAndPrefix(EXAMPLE.name, EXAMPLE.prefix),)
MOST_BYTES = 2**14
"""No operand of a question has more data."""

EXTREME_INTEGERS = (-(2**31), 2**31 - 1, -1, 0, 2**30, 2**16, -(2**16), 37, 300, 5000)
EXTREME_FLOATS = (math.nan, math.inf, -math.inf, -1.0, 0.0, -0.0, 1e-40, 3e38, -1e30, 65504.0, 2.0**31)
EXTREME_SIZES = (0, 2**16, 2**31 - 1, 2**32 - 1, 40000)
SANE_SCALES = (0.5, 1 / 128, 1 / 256, 1.0)
SCALES = (*SANE_SCALES, 1e-30, 1e30, 1e300, 5e-324, 0.0, -1.0, math.nan, math.inf)


@dataclass(frozen=True)
class Question:
    """A model and, for each main input, its bytes (None: it has no value); ``ask`` makes the final request."""

    model: Model
    data: tuple[bytes | None, ...]
    ask: Callable[[Request], Request] = lambda request: request


@dataclass
class Draft:
    """A subgraph in the making; ``values`` are the model's copied constants, ``data`` that of the inputs."""

    values: bytearray
    operands: list[Operand] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    data: list[bytes | None] = field(default_factory=list)

    def add(self, operand_type: int, dimensions: Sequence[int], lifetime: OperandLifeTime, **more: Any) -> int:
        """Index of a new operand."""
        self.operands.append(Operand(int(operand_type), tuple(dimensions), lifetime=lifetime, **more))
        return len(self.operands) - 1

    def constant(self, operand_type: int, dimensions: Sequence[int], data: bytes, **more: Any) -> int:
        """Index of a new constant."""
        location = DataLocation(offset=len(self.values), length=len(data))
        self.values += data
        return self.add(operand_type, dimensions, OperandLifeTime.CONSTANT_COPY, location=location, **more)

    def subgraph(self) -> Subgraph:
        """Everything so far, inputs and outputs in operand order."""
        inputs, outputs = (
            tuple(index for index, operand in enumerate(self.operands) if operand.lifetime == lifetime)
            for lifetime in (OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT)
        )
        return Subgraph(tuple(self.operands), tuple(self.operations), inputs, outputs)


def one_in(chance: Random, number: int) -> bool:
    """True once in so many times."""
    return chance.randrange(number) == number - 1


def pick(chance: Random, usual: Sequence[T], rare: Sequence[T], out_of: int = 8) -> T:
    """Mostly a usual one, once in ``out_of`` times a rare one."""
    return chance.choice(rare if one_in(chance, out_of) else usual)


def sizes(chance: Random, rank: int) -> tuple[int, ...]:
    """Dimensions, seldom absurd."""
    return tuple(pick(chance, (1, 2, 3, 4), EXTREME_SIZES, 24) for _ in range(rank))


def data_of(chance: Random, operand_type: int, count: int) -> bytes:
    """So many elements: a few values over and over, mostly small ones."""
    dtype = np.dtype(type_info(operand_type).dtype)
    if dtype.kind == "f":
        few = [pick(chance, (0.25, 1.0, 2.0, -0.5, 6.0), EXTREME_FLOATS) for _ in range(5)]
    else:
        few = [float(pick(chance, range(-2, 7), EXTREME_INTEGERS)) for _ in range(5)]
    repeated = np.resize(np.array(few), max(count, 1))
    with np.errstate(all="ignore"):
        converted = repeated.astype(dtype) if dtype.kind == "f" else repeated.astype(np.int64).astype(dtype)
    return converted.tobytes()[: count * dtype.itemsize]


def quantization(chance: Random, operand_type: int, dimensions: Sequence[int]) -> dict[str, Any]:
    """Scale, zero point and extra parameters that mostly fit the type."""
    if isinstance(operand_type, ExtensionType):
        return {"extra_params": ExtensionParams(pick(chance, (b"\x08",), (b"", b"\x08\x00", b"\xff")))}
    info = OPERAND_TYPES[operand_type]
    if operand_type == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL:
        axis = chance.randrange(max(len(dimensions), 1))
        count = dimensions[axis] if dimensions and dimensions[axis] <= 4 else 1
        scales = tuple(pick(chance, SANE_SCALES, SCALES, 24) for _ in range(count))
        return {"extra_params": SymmPerChannelQuantParams(scales, axis)}
    if info.scale != "positive":
        return {}
    low, high = info.zero_point
    zero_point = pick(chance, (low, high, (low + high + 1) // 2), EXTREME_INTEGERS, 40)
    return {"scale": pick(chance, SANE_SCALES, SCALES, 16), "zero_point": zero_point}


def shape_of(chance: Random, formal: Formal, main: tuple[int, ...]) -> tuple[int, ...]:
    """Dimensions for a formal operand: those of the call's main tensor, or others of a rank that mostly fits."""
    low, high = formal.rank or (1, 4)
    if (high is None or low <= len(main) <= high) and chance.random() < 0.6:
        return main
    rank = chance.randint(low, max(min(high or 4, 4), low)) if chance.random() < 0.95 else chance.randint(0, 5)
    return sizes(chance, rank)


def _add_input(chance: Random, draft: Draft, formal: Formal, operand_type: int, main: tuple[int, ...]) -> int:
    """One operand for a formal input: constant, input, or without value."""
    info = type_info(operand_type)
    dimensions = shape_of(chance, formal, main) if info.is_tensor else ()
    more = quantization(chance, operand_type, dimensions) if info.is_tensor else {}
    if one_in(chance, 3 if formal.omissible else 60):
        return draft.add(operand_type, dimensions, OperandLifeTime.NO_VALUE, **more)
    count = math.prod(dimensions)
    fits = 0 < count * info.size <= MOST_BYTES
    if formal.values and not one_in(chance, 8):
        data = np.array(chance.choice(formal.values)).astype(info.dtype).tobytes()
    else:
        data = data_of(chance, operand_type, count if fits else 1)
    if fits and (not info.is_tensor or chance.random() < 0.4):
        return draft.constant(operand_type, dimensions, data, **more)
    draft.data.append(None if one_in(chance, 60) else data)
    declared = dimensions if not one_in(chance, 10) else (0,) * len(dimensions)
    return draft.add(operand_type, declared, OperandLifeTime.SUBGRAPH_INPUT, **more)


def _actual_formals(chance: Random, signature: Signature) -> list[Formal]:
    """The formals of one list of inputs, variadic ones repeated."""
    length = chance.choice(signature.lengths) if signature.lengths else len(signature.inputs)
    expanded: list[Formal] = []
    for formal in signature.inputs[:length]:
        expanded += [formal] * (chance.randint(max(formal.minimum, 1), 3) if formal.variadic else 1)
    return expanded


def operation(chance: Random, choices: Sequence[OperationDeclaration] = ORDINARY) -> Question:
    """One operation with operands made from its declaration."""
    declaration = chance.choice(choices)
    types = chance.choice(declaration.rows).types
    main = sizes(chance, chance.randint(1, 4))
    draft = Draft(bytearray())

    def type_of(formal: Formal) -> int:
        if not isinstance(formal.type, str):
            return formal.type
        return chance.choice(TENSORS) if formal.type == ANY_TYPE else types[formal.type]

    formals = _actual_formals(chance, chance.choice(declaration.signatures))
    inputs = tuple(_add_input(chance, draft, formal, type_of(formal), main) for formal in formals)
    made = list(declaration.outputs[: chance.choice(declaration.output_counts or (len(declaration.outputs),))])
    if made[0].variadic:
        made *= chance.randint(1, 4)
    outputs = []
    for formal in made:
        operand_type = type_of(formal)
        is_tensor = type_info(operand_type).is_tensor
        dimensions = shape_of(chance, formal, main) if is_tensor and one_in(chance, 4) else ()
        more = quantization(chance, operand_type, dimensions) if is_tensor else {}
        outputs.append(draft.add(operand_type, dimensions, OperandLifeTime.SUBGRAPH_OUTPUT, **more))
    draft.operations.append(Operation(int(declaration.type), inputs, tuple(outputs)))
    return Question(Model(draft.subgraph(), (), bytes(draft.values), (), False, NAMES), tuple(draft.data))
