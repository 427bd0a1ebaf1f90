"""What the driver is asked in robustness tests: a model with data for its inputs, sane or not.

Operands are drawn from declarations and graphs are built from small steps; ``spoiling.py`` then breaks things.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hal.example_extension import EXAMPLE
from hal.operand_types import OPERAND_TYPES, ExtensionType, type_info
from hal.operations.catalogue import declarations
from hal.operations.declaration import ANY_TYPE, Formal, OperationDeclaration, Signature
from hal.types import (
    DataLocation,
    ExtensionNameAndPrefix,
    ExtensionParams,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    Subgraph,
    SymmPerChannelQuantParams,
)

CONTROL_FLOW = (OperationType.IF, OperationType.WHILE)
ORDINARY = tuple(one for one in declarations().values() if one.type not in CONTROL_FLOW) + EXAMPLE.operations
TENSORS = tuple(code for code, info in OPERAND_TYPES.items() if info.is_tensor)
NAMES = (ExtensionNameAndPrefix(EXAMPLE.name, EXAMPLE.prefix),)
MOST_BYTES = 2**14
"""No operand of a question has more data."""

EXTREME_INTEGERS = (-(2**31), 2**31 - 1, -1, 2**30, -(2**16), 1000)
EXTREME_FLOATS = (math.nan, math.inf, -math.inf, -1.0, 0.0, -0.0, 1e-40, 3e38, -1e30, 65504.0, 2.0**31)
EXTREME_SIZES = (0, 2**16, 2**31 - 1, 2**32 - 1, 40000)
SCALES = (0.5, 1 / 128, 1 / 256, 1.0, 1e-30, 1e30, 1e300, 5e-324, 0.0, -1.0, math.nan, math.inf)


@dataclass(frozen=True)
class Question:
    """A model and, for each main input, its bytes (None: it has no value)."""

    model: Model
    data: tuple[bytes | None, ...]


@dataclass
class Draft:
    """A subgraph in the making; ``values`` are the model's copied constants, ``data`` that of the inputs."""

    values: bytearray
    operands: list[Operand] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    data: list[bytes | None] = field(default_factory=list)

    def add(self, operand_type: int, dimensions: Sequence[int], lifetime: OperandLifeTime, **more: Any) -> int:
        """Index of a new operand."""
        self.operands.append(Operand(operand_type, tuple(dimensions), lifetime=lifetime, **more))
        return len(self.operands) - 1

    def constant(self, operand_type: int, dimensions: Sequence[int], data: bytes, **more: Any) -> int:
        """Index of a new constant."""
        location = DataLocation(offset=len(self.values), length=len(data))
        self.values += data
        return self.add(operand_type, dimensions, OperandLifeTime.CONSTANT_COPY, location=location, **more)

    def subgraph(self) -> Subgraph:
        """Everything so far, inputs and outputs in operand order."""
        listed = [
            tuple(index for index, operand in enumerate(self.operands) if operand.lifetime == lifetime)
            for lifetime in (OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT)
        ]
        return Subgraph(tuple(self.operands), tuple(self.operations), listed[0], listed[1])


def often(usual: st.SearchStrategy[Any], rare: st.SearchStrategy[Any], *, out_of: int = 8) -> st.SearchStrategy[Any]:
    """Mostly ``usual``, once in ``out_of`` times ``rare``."""
    return st.integers(0, out_of - 1).flatmap(lambda number: usual if number else rare)


def integers() -> st.SearchStrategy[int]:
    """Small ones, and some at the ends of 32 bits."""
    return often(st.integers(-2, 6), st.sampled_from(EXTREME_INTEGERS))


def floats() -> st.SearchStrategy[float]:
    """Small ones, and some that are hardly numbers."""
    return often(st.sampled_from((0.25, 1.0, 2.0, -0.5, 6.0)), st.sampled_from(EXTREME_FLOATS))


def sizes() -> st.SearchStrategy[int]:
    """Sizes of dimensions."""
    return often(st.integers(1, 4), st.sampled_from(EXTREME_SIZES), out_of=16)


@st.composite
def values(draw: st.DrawFn, operand_type: int, count: int) -> bytes:
    """Data of so many elements."""
    dtype = np.dtype(type_info(operand_type).dtype)
    few = draw(st.lists(floats() if dtype.kind == "f" else integers(), min_size=1, max_size=6))
    with np.errstate(all="ignore"):
        array = np.resize(np.array(few), max(count, 1)).astype(np.float64)
        wrapped = array if dtype.kind == "f" else array.astype(np.int64)
        return wrapped.astype(dtype).tobytes()[: count * dtype.itemsize]


@st.composite
def quantization(draw: st.DrawFn, operand_type: int, dimensions: Sequence[int]) -> dict[str, Any]:
    """Scale, zero point and extra parameters that mostly fit the type."""
    if isinstance(operand_type, ExtensionType):
        return {"extra_params": ExtensionParams(draw(often(st.just(b"\x08"), st.binary(max_size=2))))}
    info = OPERAND_TYPES[operand_type]
    more: dict[str, Any] = {}
    if operand_type == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL:
        axis = draw(st.integers(0, max(len(dimensions) - 1, 0)))
        count = dimensions[axis] if dimensions and dimensions[axis] < 64 else 1
        scales = draw(often(st.just((0.5,) * count), st.lists(st.sampled_from(SCALES), max_size=4).map(tuple)))
        more["extra_params"] = SymmPerChannelQuantParams(scales, axis)
    elif info.scale == "positive":
        more["scale"] = draw(often(st.sampled_from(SCALES[:4]), st.sampled_from(SCALES)))
        more["zero_point"] = draw(often(st.integers(*info.zero_point), integers(), out_of=30))
    return more


@st.composite
def shapes(draw: st.DrawFn, formal: Formal, main: tuple[int, ...]) -> tuple[int, ...]:
    """Dimensions for a formal operand: those of the call's main tensor, or others of a rank that mostly fits."""
    low, high = formal.rank or (1, 4)
    rank = draw(often(st.integers(low, max(min(high or 4, 4), low)), st.integers(0, 5)))
    if len(main) == rank and draw(st.booleans()):
        return main
    return tuple(draw(st.lists(sizes(), min_size=rank, max_size=rank)))


@st.composite
def _input(draw: st.DrawFn, draft: Draft, formal: Formal, operand_type: int, main: tuple[int, ...]) -> int:
    """One operand for a formal input: constant, input, or without value."""
    is_tensor = type_info(operand_type).is_tensor
    dimensions = draw(shapes(formal, main)) if is_tensor else ()
    more = draw(quantization(operand_type, dimensions)) if is_tensor else {}
    fate = draw(st.integers(0, 15))
    if fate == 0:
        return draft.add(operand_type, dimensions, OperandLifeTime.NO_VALUE, **more)
    count = math.prod(dimensions)
    too_large = count * type_info(operand_type).size > MOST_BYTES
    if formal.values and draw(st.integers(0, 9)):
        data = np.array(draw(st.sampled_from(formal.values))).astype(type_info(operand_type).dtype).tobytes()
    else:
        data = draw(values(operand_type, 8 if too_large else count))
    if fate < 6 or not is_tensor:
        return draft.constant(operand_type, dimensions, data, **more)
    if draw(st.integers(0, 9)) == 0:
        dimensions = (0,) * len(dimensions)
    draft.data.append(draw(often(st.just(data), st.none(), out_of=20)))
    return draft.add(operand_type, dimensions, OperandLifeTime.SUBGRAPH_INPUT, **more)


def _formals(draw: st.DrawFn, signature: Signature) -> list[Formal]:
    """The formals of one actual list of inputs."""
    length = draw(st.sampled_from(signature.lengths)) if signature.lengths else len(signature.inputs)
    expanded: list[Formal] = []
    for formal in signature.inputs[:length]:
        repeats = draw(st.integers(max(formal.minimum, 1), 3)) if formal.variadic else 1
        expanded += [formal] * repeats
    return expanded


@st.composite
def operations(draw: st.DrawFn, choices: Sequence[OperationDeclaration] = ORDINARY) -> Question:
    """One operation with operands drawn from its declaration."""
    declaration = draw(st.sampled_from(choices))
    signature = draw(st.sampled_from(declaration.signatures))
    types = draw(st.sampled_from(declaration.rows)).types
    main = tuple(draw(st.lists(sizes(), min_size=1, max_size=4)))
    draft = Draft(bytearray())

    def type_of(formal: Formal) -> int:
        if isinstance(formal.type, str):
            return draw(st.sampled_from(TENSORS)) if formal.type == ANY_TYPE else types[formal.type]
        return formal.type

    inputs = [draw(_input(draft, formal, type_of(formal), main)) for formal in _formals(draw, signature)]
    counts = declaration.output_counts or (len(declaration.outputs),)
    formals = list(declaration.outputs[: draw(st.sampled_from(counts))])
    if declaration.outputs[0].variadic:
        formals = [declaration.outputs[0]] * draw(st.integers(1, 4))
    outputs = []
    for formal in formals:
        known = draw(st.integers(0, 3)) == 0
        operand_type = type_of(formal)
        dimensions = draw(shapes(formal, main)) if known and type_info(operand_type).is_tensor else ()
        more = draw(quantization(operand_type, dimensions)) if type_info(operand_type).is_tensor else {}
        outputs.append(draft.add(operand_type, dimensions, OperandLifeTime.SUBGRAPH_OUTPUT, **more))
    draft.operations.append(Operation(int(declaration.type), tuple(inputs), tuple(outputs)))
    model = Model(draft.subgraph(), operand_values=bytes(draft.values), extension_name_to_prefix=NAMES)
    return Question(model, tuple(draft.data))
