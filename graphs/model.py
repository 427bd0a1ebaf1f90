"""The model type of all tests: a graph together with its inputs and expected outputs.

Specs, random graphs and hand-written models all become a :class:`TestModel`. Field names are the contract's in snake
case, enumerations have the HAL's values (docs/contract/spec-format.md 11). Numbers of consumers are missing: they
follow from the operations, and are computed when the HAL's model is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final

import msgspec
import numpy.typing as npt

from nnvet.hal.enums import CONSTANTS
from nnvet.hal.extensions import known_operations
from nnvet.hal.levels import HAL_VERSIONS
from nnvet.hal.operand_types import ExtensionCode, type_info, type_name
from nnvet.hal.types import FeatureLevel, OperandLifeTime, OperandType, OperationType, SymmPerChannelQuantParams

Array = npt.NDArray[Any]
"""An array of any type of elements."""

VERSIONS: Final = HAL_VERSIONS
"""Version strings of spec files and the feature levels that they mean."""

EXPERIMENTAL_OPERATIONS: Final = {"DENSIFY": 20000}
"""Operations that occur in experimental specs only and that no HAL knows."""

_OPERATION_CODES: Final[Mapping[str, int]] = {**OperationType.__members__, **EXPERIMENTAL_OPERATIONS}
"""Codes of operations by name, with those of experimental specs."""
_OPERATION_NAMES: Final = {int(code): name for name, code in _OPERATION_CODES.items()}
"""Names of operations by code."""
_UNCOUPLED: Final = frozenset(
    (
        OperationType.HASHTABLE_LOOKUP,
        OperationType.LSH_PROJECTION,
        OperationType.PAD_V2,
        OperationType.CAST,
        OperationType.QUANTIZED_16BIT_LSTM,
    )
)
_SUBGRAPH: Final = OperandType.SUBGRAPH
_SCALAR_OUTPUTS: Final = frozenset((OperationType.RANK, OperationType.IF, OperationType.WHILE))


class TestOperand(msgspec.Struct, frozen=True, eq=False):
    """One operand. ``data`` is one-dimensional, row-major, of :func:`element_type`; None where there is no value.

    Constants and main inputs carry their value (size 0: omitted), main outputs the expected result, SUBGRAPH operands
    an index into ``TestModel.referenced``. ``extension_data`` are the parameters of an operand whose type is an
    :class:`nnvet.hal.operand_types.ExtensionType`; None if there are none.
    """

    __test__: ClassVar[bool] = False

    type: int
    dimensions: tuple[int, ...] = ()
    scale: float = 0.0
    zero_point: int = 0
    lifetime: int = OperandLifeTime.TEMPORARY_VARIABLE
    channel_quant: SymmPerChannelQuantParams | None = None
    is_ignored: bool = False
    data: Array | None = None
    extension_data: bytes | None = None

    @property
    def is_omitted(self) -> bool:
        """True if the operand has no value and gets none from an operation."""
        is_empty = self.data is None or not self.data.size
        is_given = self.lifetime in (*CONSTANTS, OperandLifeTime.SUBGRAPH_INPUT)
        return self.lifetime == OperandLifeTime.NO_VALUE or (is_given and is_empty)

    @property
    def value(self) -> Array | None:
        """The value of an input or constant in its shape; None if it is omitted or computed by an operation."""
        if self.lifetime not in (*CONSTANTS, OperandLifeTime.SUBGRAPH_INPUT) or self.data is None or not self.data.size:
            return None
        return self.data.reshape(self.dimensions)


class TestOperation(msgspec.Struct, frozen=True, eq=False):
    """One operation; ``inputs`` and ``outputs`` are operand indexes."""

    __test__: ClassVar[bool] = False

    type: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class TestSubgraph(msgspec.Struct, frozen=True, eq=False):
    """Operands and operations, operations in execution order."""

    __test__: ClassVar[bool] = False

    operands: tuple[TestOperand, ...]
    operations: tuple[TestOperation, ...]
    input_indexes: tuple[int, ...]
    output_indexes: tuple[int, ...]

    @property
    def inputs(self) -> list[TestOperand]:
        """The input operands, in request order."""
        return [self.operands[index] for index in self.input_indexes]

    @property
    def outputs(self) -> list[TestOperand]:
        """The output operands, in request order."""
        return [self.operands[index] for index in self.output_indexes]


class Traits(msgspec.Struct, frozen=True):
    """Properties of a test that decide how it is run or judged. The maker of a test sets them; no name is parsed.

    ``is_whole_network`` means that 8-bit results may be off by three, ``is_lifetime_variant`` that another test differs
    only in the lifetimes of operands, ``has_placeholders`` that additions of zero move operands inside the graph, and
    ``is_bounded`` that results are judged by the oracle's error bounds, not by the precision rules of specs.
    """

    is_whole_network: bool = False
    is_lifetime_variant: bool = False
    has_placeholders: bool = False
    is_bounded: bool = False


class TestModel(msgspec.Struct, frozen=True, eq=False):
    """A model with inputs and expected outputs. ``min_supported_version`` is None for UNKNOWN."""

    __test__: ClassVar[bool] = False

    name: str
    main: TestSubgraph
    referenced: tuple[TestSubgraph, ...] = ()
    is_relaxed: bool = False
    expected_multinomial_distribution_tolerance: float = 0.0
    expect_failure: bool = False
    min_supported_version: FeatureLevel | None = None
    traits: Traits = Traits()

    @property
    def subgraphs(self) -> tuple[TestSubgraph, ...]:
        """The main subgraph, then the referenced ones."""
        return (self.main, *self.referenced)


def operation_code(name: str) -> int:
    """Return the code of an operation by its HAL name, or by ``EXTENSION::NAME``.

    :raises ValueError: the operation does not exist.
    """
    codes = known_operations() if "::" in name else _OPERATION_CODES
    try:
        return codes[name]
    except KeyError:
        raise ValueError(f"there is no operation {name!r}") from None


def operation_name(code: int) -> str:
    """Return the HAL's or an extension's name of an operation, or its number if it has none."""
    if isinstance(code, ExtensionCode):
        return code.name
    return _OPERATION_NAMES.get(code, f"operation {code:#x}")


def element_type(operand_type: int) -> str:
    """Return NumPy's name of the type of ``TestOperand.data``; the data of a SUBGRAPH is its index."""
    return "uint32" if operand_type == _SUBGRAPH else type_info(operand_type).dtype


def all_operations(model: TestModel) -> Iterator[tuple[TestSubgraph, TestOperation]]:
    """Return every operation of every subgraph, with its subgraph."""
    return ((subgraph, operation) for subgraph in model.subgraphs for operation in subgraph.operations)


def has_quant8_coupled_operands(model: TestModel) -> bool:
    """Return True if TENSOR_QUANT8_ASYMM and its signed twin must be supported alike for this model."""
    return any(
        subgraph.operands[index].type == OperandType.TENSOR_QUANT8_ASYMM
        for subgraph, operation in all_operations(model)
        if operation.type not in _UNCOUPLED
        for index in (*operation.inputs, *operation.outputs)
    )


def has_scalar_outputs(model: TestModel) -> bool:
    """Return True if some operation, in any subgraph, may have scalars as outputs (RANK, IF, WHILE)."""
    return any(operation.type in _SCALAR_OUTPUTS for _, operation in all_operations(model))


def is_infinite_loop_timeout_test(model: TestModel) -> bool:
    """Return True if the test is meant to run into the loop timeout."""
    operations = model.main.operations
    return model.expect_failure and bool(operations) and operations[0].type == OperationType.WHILE


def has_zero_sized_output(model: TestModel) -> bool:
    """Return True if some main output has no bytes (device memory and fenced tests leave such models out)."""
    return any(0 in operand.dimensions for operand in model.main.outputs)


_MARKS_OF_LIFETIMES: Final = {
    OperandLifeTime.SUBGRAPH_INPUT: "input",
    OperandLifeTime.SUBGRAPH_OUTPUT: "output",
    OperandLifeTime.CONSTANT_COPY: "constant",
}
"""Words for lifetimes in descriptions."""


def describe_operand(operand: TestOperand, index: int) -> str:
    """Describe an operand: number, lifetime, type, dimensions, quantisation, and the value of a scalar."""
    size = 0 if operand.data is None else operand.data.size
    value = (
        f" = {operand.data.tolist()}"
        if operand.data is not None and size <= len(_MARKS_OF_LIFETIMES) and not operand.dimensions
        else ""
    )
    scale = f" scale {operand.scale:g} zero point {operand.zero_point}" if operand.scale else ""
    mark = _MARKS_OF_LIFETIMES.get(OperandLifeTime(operand.lifetime), "")
    return f"%{index} {mark} {type_name(operand.type)}{list(operand.dimensions)}{scale}{value}".replace("  ", " ")


def describe_model(test: TestModel) -> list[str]:
    """Return a model in words, a line for each operation."""

    def described(indices: Iterable[int]) -> str:
        return ", ".join(describe_operand(test.main.operands[index], index) for index in indices)

    return [
        f"{described(operation.outputs)} = {operation_name(operation.type)}({described(operation.inputs)})"
        for operation in test.main.operations
    ]
