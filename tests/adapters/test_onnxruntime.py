"""The kind ``onnxruntime``: models run in ONNX Runtime and are judged as any driver's; wrong options are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from nnvet.adapters import SelectorError, create_device, prepare
from nnvet.conformance.checking import check_driver
from nnvet.driver_kit.base_device import BasePreparedModel
from nnvet.hal.enums import ErrorStatus, OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.types import DataLocation, Model, Operand, Operation, Subgraph

pytest.importorskip("onnx", reason="needs the onnx extra")
pytest.importorskip("onnxruntime", reason="needs the onnx extra")

FLOATS, INTEGERS, INTEGER = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_INT32, OperandType.INT32
LOWEST = -(2**31)
CASES = (
    "GeneratedTest/sync/conv2d_float_layout_*nchw",
    "GeneratedTest/sync/topk_v2_*tie*",
    "GeneratedTest/sync/elu_float_*",
    "GeneratedTest/sync/space_to_batch_*layout*",
    "GeneratedValidationTest/sync/gather_failures_*",
    "DynamicOutputShapeTest/sync_unspecified/reshape_*",
)


@pytest.mark.parametrize("optimization", ["all", "none"])
def test_no_case_fails(optimization: str) -> None:
    """Layouts, ties, negative indices, unknown shapes: right where they are claimed, with fused nodes and without."""
    checked = check_driver(f"onnxruntime:optimization={optimization}", only=CASES)
    assert checked.conformant, checked


def binary(
    operation: OperationType,
    kind: OperandType = FLOATS,
    shape: tuple[int, ...] = (0,),
    lifetime: int = OperandLifeTime.CONSTANT_COPY,
    activation: int = 0,
) -> Model:
    """Two inputs of ``shape``, and an activation code, which is a constant or a third input."""
    is_constant = lifetime == OperandLifeTime.CONSTANT_COPY
    operand = Operand(kind, shape, lifetime=OperandLifeTime.SUBGRAPH_INPUT)
    code = Operand(INTEGER, lifetime=lifetime, location=DataLocation(0, 0, 4 * is_constant))
    result = Operand(kind, shape, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
    inputs = (0, 1) if is_constant else (0, 1, 2)
    main = Subgraph((operand, operand, code, result), (Operation(operation, (0, 1, 2), (3,)),), inputs, (3,))
    return Model(main, operand_values=activation.to_bytes(4, "little") if is_constant else b"")


def prepared(model: Model) -> BasePreparedModel:
    """The model in ONNX Runtime."""
    made = prepare(create_device("onnxruntime"), model)
    assert isinstance(made, BasePreparedModel)
    return made


def computed(model: BasePreparedModel, *inputs: Sequence[float], dtype: str = "float32") -> list[Any]:
    """The output of a model for vectors."""
    (result,) = model.compute([np.array(one, dtype) for one in inputs])
    values: list[Any] = result.tolist()
    return values


def test_shapes_come_with_the_execution() -> None:
    """One prepared model takes vectors of every length, in any order, none of them too."""
    model = prepared(binary(OperationType.ADD, activation=1))
    for length in (1, 2, 0, 3, 4, 5, 6, 1, 3):
        assert computed(model, range(length), [-2.0] * length) == [max(one - 2, 0) for one in range(length)]


def test_integers_are_divided_downwards() -> None:
    """ONNX rounds towards zero, and leaves open what division by zero and overflow give; the contract does not."""
    model = prepared(binary(OperationType.DIV, INTEGERS))
    quotients = computed(model, [-5, 5, 5, 7, 0, LOWEST, LOWEST], [3, -3, 0, 7, 0, -1, 3], dtype="int32")
    assert quotients == [-2, -2, 0, 1, 0, LOWEST, -715827883]


def test_the_first_operand_stands_beside_a_nan() -> None:
    """What MAXIMUM says of NaN is not what ONNX's Max says."""
    nan = float("nan")
    operand = Operand(FLOATS, (2,), lifetime=OperandLifeTime.SUBGRAPH_INPUT)
    result = Operand(FLOATS, (2,), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
    operation = Operation(OperationType.MAXIMUM, (0, 1), (2,))
    model = prepared(Model(Subgraph((operand, operand, result), (operation,), (0, 1), (2,))))
    first, second = computed(model, [nan, 1], [1, nan])
    assert np.isnan(first)
    assert second == 1


def test_broken_rules_have_the_status_of_the_contract() -> None:
    """What does not broadcast is refused before ONNX Runtime sees it; the model works on."""
    model = prepared(binary(OperationType.ADD))
    with pytest.raises(HalError) as raised:
        computed(model, [1, 2], [1, 2, 3])
    assert (raised.value.status, raised.value.rule) == (ErrorStatus.GENERAL_FAILURE, "ADD/broadcast")
    assert computed(model, [1, 2], [3, 4]) == [4, 6]


def test_what_is_not_a_constant_is_not_claimed() -> None:
    """An activation code that only the request brings cannot choose a node."""
    device = create_device("onnxruntime")
    assert device.get_supported_operations(binary(OperationType.ADD)) == (True,)
    later = binary(OperationType.ADD, lifetime=OperandLifeTime.SUBGRAPH_INPUT)
    assert device.get_supported_operations(later) == (False,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("optimization=fast", "optimization is 'fast'; choose all, extended, basic, none"),
        ("threads=0", "threads is '0'; give a number from 1 on"),
        ("threads", "'threads' is not of the form option=value"),
        ("precision=low", "precision: the CPU has no such options"),
        ("provider=Absent", "there is no AbsentExecutionProvider; there are"),
    ],
)
def test_options_are_checked(arguments: str, message: str) -> None:
    """A mistake in the selector gives one message."""
    with pytest.raises(SelectorError, match=message):
        create_device(f"onnxruntime:{arguments}")


def test_a_provider_is_named_with_or_without_its_ending() -> None:
    """ONNX Runtime's own name of a provider, and the short one."""
    for provider in ("CPU", "CPUExecutionProvider"):
        made = prepare(create_device(f"onnxruntime:provider={provider}"), binary(OperationType.ADD))
        assert isinstance(made, BasePreparedModel)
        assert computed(made, [1, 2], [3, 4]) == [4, 6]
