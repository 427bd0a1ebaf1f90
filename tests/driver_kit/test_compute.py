"""Drivers that define ``compute`` alone, in every executor: shapes, omitted inputs, wrong outputs."""

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import (
    ErrorStatus,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    OutputShape,
    PrepareModelConfig,
    Request,
    Subgraph,
)
from tests.driver_kit.executors import (
    EXECUTORS,
    FENCED,
    NOTHING,
    OUTPUT_AT,
    PLACES,
    Execute,
    failure_of,
    output_of,
    pool_of,
    written,
)

Compute = Callable[[Sequence[Any]], Any]
MATRIX = struct.pack("<6f", 1, 2, 3, 4, 5, 6)
TRANSPOSED = struct.pack("<6f", 1, 4, 2, 5, 3, 6)
SHAPE = (3, 2)
UNTOUCHED = b"\xee" * OUTPUT_AT
ALL = {**EXECUTORS, **FENCED}

every_executor = pytest.mark.parametrize("execute", ALL.values(), ids=ALL.keys())
every_reporting_executor = pytest.mark.parametrize("execute", EXECUTORS.values(), ids=EXECUTORS.keys())
everywhere = pytest.mark.parametrize("place", PLACES)


class Computing(BasePreparedModel):
    """Computes as constructed."""

    def __init__(self, model: Model, function: Compute) -> None:
        """Keep the function."""
        super().__init__(model)
        self.function = function

    def compute(self, inputs: Sequence[Any]) -> Sequence[Array]:
        """Call it."""
        outputs: Sequence[Array] = self.function(inputs)
        return outputs


class Claiming(BaseDevice):
    """Supports everything, and computes as constructed."""

    def __init__(self, function: Compute) -> None:
        """Keep the function."""
        self.function = function

    def supports(self, model: Model, operation: Operation) -> bool:
        """All."""
        del model, operation
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """A model that computes."""
        del config
        return Computing(model, self.function)


def transpose(inputs: Sequence[Any]) -> list[Array]:
    """NumPy knows by itself what a permutation of None means."""
    return [np.transpose(inputs[0], inputs[1])]


def model_of(operation: OperationType, inputs: Sequence[Operand], output: Operand, *, values: bytes = b"") -> Model:
    """One operation; what is no constant is an input of the model."""
    operands = (*inputs, output)
    indexes = tuple(i for i, operand in enumerate(inputs) if operand.lifetime == OperandLifeTime.SUBGRAPH_INPUT)
    last = len(inputs)
    main = Subgraph(operands, (Operation(operation, tuple(range(last)), (last,)),), indexes, (last,))
    return Model(main, operand_values=values)


def input_of(kind: OperandType, *dimensions: int, scale: float = 0.0) -> Operand:
    """An input of a model."""
    return Operand(kind, dimensions, scale, lifetime=OperandLifeTime.SUBGRAPH_INPUT)


def result_of(kind: OperandType, *dimensions: int, scale: float = 0.0) -> Operand:
    """An output of a model."""
    return Operand(kind, dimensions, scale, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)


def transpose_model(*dimensions: int) -> Model:
    """TRANSPOSE of a matrix of 2 by 3, whose permutation is an input, into an output of ``dimensions``."""
    operands = (input_of(OperandType.TENSOR_FLOAT32, 2, 3), input_of(OperandType.TENSOR_INT32, 2))
    return model_of(OperationType.TRANSPOSE, operands, result_of(OperandType.TENSOR_FLOAT32, *dimensions))


@everywhere
@every_executor
def test_an_input_that_may_be_omitted_is_none(place: Any, execute: Execute) -> None:
    """TRANSPOSE without permutation reverses the dimensions; with (0, 1) it leaves them alone."""
    with pool_of(MATRIX) as (pool, arguments), place(Claiming(transpose), transpose_model(*SHAPE)) as prepared:
        request = Request((*arguments, NOTHING), (output_of(24),), (pool,))
        status, shapes = execute(prepared, request)
        assert status is ErrorStatus.NONE
        assert shapes in ((), (OutputShape(SHAPE),))
        assert written(pool)[:24] == TRANSPOSED
    given = struct.pack("<2i", 0, 1)
    with pool_of(MATRIX, given) as (pool, arguments), place(Claiming(transpose), transpose_model(2, 3)) as prepared:
        assert execute(prepared, Request(tuple(arguments), (output_of(24),), (pool,)))[0] is ErrorStatus.NONE
        assert written(pool)[:24] == MATRIX


@everywhere
@every_executor
@pytest.mark.parametrize(
    ("operation", "status"),
    [
        (OperationType.TRANSPOSE, ErrorStatus.GENERAL_FAILURE),
        (OperationType.EXPAND_DIMS, ErrorStatus.INVALID_ARGUMENT),
    ],
)
def test_an_input_that_is_needed_never_reaches_compute(
    place: Any, execute: Execute, operation: OperationType, status: ErrorStatus
) -> None:
    """The statuses are those of docs/contract/operations/common.md 4; the words name input and operand."""
    seen: list[Any] = []
    second = {
        OperationType.TRANSPOSE: input_of(OperandType.TENSOR_INT32, 2),
        OperationType.EXPAND_DIMS: input_of(OperandType.INT32),
    }[operation]
    model = model_of(
        operation, (input_of(OperandType.TENSOR_FLOAT32, 2, 3), second), result_of(OperandType.TENSOR_FLOAT32, *SHAPE)
    )
    dimensions = struct.pack("<2i", 0, 1)[: 8 if second.dimensions else 4]
    with pool_of(dimensions) as (pool, arguments), place(Claiming(seen.append), model) as prepared:
        error = failure_of(execute, prepared, Request((NOTHING, *arguments), (output_of(24),), (pool,)))
    assert error.status is status
    assert f"input 0 has no value, {operation.name} needs its operand 'input'" in error.message
    assert error.rule == f"{operation.name}/input.omitted"
    assert not seen


@everywhere
@every_reporting_executor
@pytest.mark.parametrize("declared", [(), (0, 2), (0, 0)])
def test_dimensions_that_nobody_declared_are_reported(place: Any, execute: Execute, declared: tuple[int, ...]) -> None:
    """They are those of what compute returned, also where the buffer is larger than needed."""
    with pool_of(MATRIX) as (pool, arguments), place(Claiming(transpose), transpose_model(*declared)) as prepared:
        answer = execute(prepared, Request((*arguments, NOTHING), (output_of(40),), (pool,)))
        assert answer == (ErrorStatus.NONE, (OutputShape(SHAPE),))
        assert written(pool) == TRANSPOSED + UNTOUCHED[24:]


@everywhere
@every_reporting_executor
def test_a_buffer_that_is_too_small_is_reported(place: Any, execute: Execute) -> None:
    """With the shape that it must have, and untouched; with that it succeeds."""
    with pool_of(MATRIX) as (pool, arguments), place(Claiming(transpose), transpose_model(0, 0)) as prepared:
        short = Request((*arguments, NOTHING), (output_of(20),), (pool,))
        expected = (ErrorStatus.OUTPUT_INSUFFICIENT_SIZE, (OutputShape(SHAPE, is_sufficient=False),))
        assert execute(prepared, short) == expected
        assert written(pool) == UNTOUCHED
        enough = Request((*arguments, NOTHING), (output_of(24),), (pool,))
        assert execute(prepared, enough) == (ErrorStatus.NONE, (OutputShape(SHAPE),))


@everywhere
@every_reporting_executor
def test_each_output_is_reported_by_itself(place: Any, execute: Execute) -> None:
    """SPLIT into two: the first buffer is large enough, the second is not."""
    tensor, scalar = OperandType.TENSOR_FLOAT32, OperandType.INT32
    operands = (
        input_of(tensor, 4),
        input_of(scalar),
        input_of(scalar),
        result_of(tensor, 0),
        result_of(tensor, 0),
    )
    model = Model(Subgraph(operands, (Operation(OperationType.SPLIT, (0, 1, 2), (3, 4)),), (0, 1, 2), (3, 4)))
    inputs = (MATRIX[:16], struct.pack("<i", 0), struct.pack("<i", 2))

    def split(values: Sequence[Any]) -> list[Array]:
        return np.split(values[0], int(values[2]), int(values[1]))

    with pool_of(*inputs) as (pool, arguments), place(Claiming(split), model) as prepared:
        request = Request(tuple(arguments), (output_of(8), output_of(4, at=OUTPUT_AT + 8)), (pool,))
        shapes = (OutputShape((2,)), OutputShape((2,), is_sufficient=False))
        assert execute(prepared, request) == (ErrorStatus.OUTPUT_INSUFFICIENT_SIZE, shapes)
        assert written(pool)[8:] == UNTOUCHED[8:]


WRONG: dict[str, tuple[Any, str]] = {
    "nothing": (None, "compute returned NoneType, not a list of 1 arrays"),
    "an array": (np.zeros(SHAPE, "float32"), "compute returned one array of shape (3, 2), not a list of 1 arrays"),
    "too few": ([], "compute returned 0 arrays, the model has 1 outputs"),
    "too many": ([np.zeros(SHAPE, "float32")] * 2, "compute returned 2 arrays, the model has 1 outputs"),
    "no value": ([None], "output 0 of compute has elements of object, TENSOR_FLOAT32 is float32"),
    "text": (["abc"], "output 0 of compute has elements of <U3"),
    "integers": ([np.zeros(SHAPE, "int64")], "output 0 of compute has elements of int64"),
    "ragged": ([[[1.0], [2.0, 3.0]]], "output 0 of compute is no array"),
    "transposed": ([np.zeros((2, 3), "float32")], "output 0 of compute has shape (2, 3), declared is (3, 2)"),
    "flat": ([np.zeros(6, "float32")], "output 0 of compute has shape (6,), declared is (3, 2)"),
    "empty": ([np.zeros((0, 2), "float32")], "output 0 of compute has shape (0, 2), declared is (3, 2)"),
    "scalar": ([np.float32(1)], "output 0 of compute has shape (), TENSOR_FLOAT32 is a tensor"),
}


@everywhere
@every_executor
@pytest.mark.parametrize(("returned", "words"), WRONG.values(), ids=WRONG.keys())
def test_wrong_outputs_are_a_failure_that_says_what_is_wrong(
    place: Any, execute: Execute, returned: Any, words: str
) -> None:
    """Nothing is written then."""
    device = Claiming(lambda _: returned)
    with pool_of(MATRIX) as (pool, arguments), place(device, transpose_model(*SHAPE)) as prepared:
        error = failure_of(execute, prepared, Request((*arguments, NOTHING), (output_of(24),), (pool,)))
        assert error.status is ErrorStatus.GENERAL_FAILURE
        assert words in error.message
        assert written(pool) == UNTOUCHED


def test_a_wrong_second_output_leaves_the_first_alone() -> None:
    """All outputs are looked at before one is written."""
    tensor = OperandType.TENSOR_FLOAT32
    operands = (input_of(tensor, 2), result_of(tensor, 2), result_of(tensor, 2))
    floors = tuple(Operation(OperationType.FLOOR, (0,), (index,)) for index in (1, 2))
    model = Model(Subgraph(operands, floors, (0,), (1, 2)))
    prepared = Computing(model, lambda _: [np.zeros(2, "float32"), np.zeros(3, "float32")])
    with pool_of(MATRIX[:8]) as (pool, arguments):
        request = Request(tuple(arguments), (output_of(8), output_of(8)), (pool,))
        error = failure_of(EXECUTORS["synchronous"], prepared, request)
        assert "output 1 of compute has shape (3,), declared is (2,)" in error.message
        assert written(pool) == UNTOUCHED


@pytest.mark.parametrize(
    ("kind", "scale", "returned", "expected"),
    [
        (OperandType.TENSOR_FLOAT32, 0.0, np.array([0.5, 1e39]), struct.pack("<2f", 0.5, np.inf)),
        (OperandType.TENSOR_FLOAT32, 0.0, [0.25, -2.0], struct.pack("<2f", 0.25, -2)),
        (OperandType.TENSOR_FLOAT16, 0.0, np.array([0.5, -1], "float32"), struct.pack("<2e", 0.5, -1)),
        (OperandType.TENSOR_BOOL8, 0.0, np.array([True, False]), b"\x01\x00"),
        (OperandType.TENSOR_INT32, 0.0, np.array([-1, 7], "int16"), struct.pack("<2i", -1, 7)),
        (OperandType.TENSOR_QUANT8_ASYMM, 0.5, np.array([0, 255], "uint8"), b"\x00\xff"),
        (OperandType.TENSOR_FLOAT32, 0.0, np.array([[1.0, 9], [2, 9]], "float32")[:, 0], struct.pack("<2f", 1, 2)),
    ],
    ids=["float64", "list", "float16", "bool", "int16", "same", "strided"],
)
def test_what_is_converted(kind: OperandType, scale: float, returned: Any, expected: bytes) -> None:
    """Floats are rounded, types all of whose values fit are widened, and memory need not be in one piece."""
    model = model_of(OperationType.CAST, (input_of(kind, 2, scale=scale),), result_of(kind, 2, scale=scale))
    with pool_of(expected) as (pool, arguments):
        request = Request(tuple(arguments), (output_of(len(expected)),), (pool,))
        answer = EXECUTORS["synchronous"](Computing(model, lambda _: [returned]), request)
        assert answer == (ErrorStatus.NONE, (OutputShape((2,)),))
        assert written(pool) == expected + UNTOUCHED[len(expected) :]


@pytest.mark.parametrize("returned", [np.array([0, 1], "int64"), np.array([0, 1], "int8"), np.array([0.0, 1.0])])
def test_codes_are_not_wrapped(returned: Array) -> None:
    """A type that has other values than the output's is refused, whatever the values are."""
    kind = OperandType.TENSOR_QUANT8_ASYMM
    model = model_of(OperationType.FLOOR, (input_of(kind, 2, scale=0.5),), result_of(kind, 2, scale=0.5))
    with pool_of(b"\x00\x01") as (pool, arguments):
        request = Request(tuple(arguments), (output_of(2),), (pool,))
        error = failure_of(EXECUTORS["synchronous"], Computing(model, lambda _: [returned]), request)
        assert f"has elements of {returned.dtype}, TENSOR_QUANT8_ASYMM is uint8" in error.message
        assert error.rule == "driver/reply"
        assert written(pool) == UNTOUCHED


def test_scalars_have_no_dimensions() -> None:
    """Neither on their way in nor on their way out."""
    scalar = OperandType.FLOAT32
    model = model_of(OperationType.FLOOR, (input_of(scalar),), result_of(scalar))
    seen: list[tuple[int, ...]] = []

    def halve(inputs: Sequence[Any]) -> list[Any]:
        seen.append(inputs[0].shape)
        return [inputs[0] / 2]

    with pool_of(struct.pack("<f", 5)) as (pool, arguments):
        request = Request(tuple(arguments), (output_of(4),), (pool,))
        assert EXECUTORS["synchronous"](Computing(model, halve), request) == (ErrorStatus.NONE, (OutputShape(()),))
        assert written(pool)[:4] == struct.pack("<f", 2.5)
        error = failure_of(EXECUTORS["synchronous"], Computing(model, lambda _: [np.ones(1, "float32")]), request)
        assert "output 0 of compute has shape (1,), FLOAT32 is a scalar" in error.message
    assert seen == [()]
