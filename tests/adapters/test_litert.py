"""The kind ``litert``: models run in LiteRT and are judged as any driver's; wrong options are refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from nnvet.adapters import SelectorError, create_device, prepare
from nnvet.conformance.checking import check_driver
from nnvet.driver_kit.base_device import BasePreparedModel
from nnvet.hal.enums import ErrorStatus, OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.types import DataLocation, Model, Operand, Operation, Subgraph

pytest.importorskip("ai_edge_litert.interpreter", reason="needs the litert extra")
pytest.importorskip("flatbuffers", reason="needs the litert extra")

FLOATS, INTEGER = OperandType.TENSOR_FLOAT32, OperandType.INT32
CASES = (
    "QuantizationCouplingTest/sync/concatenation_requantized_*",
    "GeneratedTest/sync/conv2d_quant8_layout_*per_channel*nchw",
    "GeneratedTest/sync/topk_v2_*",
    "GeneratedTest/sync/elu_float_alpha_one*",
    "GeneratedValidationTest/sync/gather_failures_*",
    "QuantizationCouplingTest/sync/fully_connected_*",
    "DynamicOutputShapeTest/*/reshape_*",
    "GeneratedTest/sync/lsh_projection_*",
    "GeneratedTest/sync/detection_postprocessing_regular_*",
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kernels", ["xnnpack", "reference"])
def test_no_case_fails(kernels: str) -> None:
    """Layouts, ties, requantised parts, unknown shapes: right where they are claimed, with each of the kernels."""
    checked = check_driver(f"litert:kernels={kernels}", only=CASES)
    assert checked.faultless, checked


def added(activation: bytes, shape: tuple[int, ...], lifetime: int = OperandLifeTime.CONSTANT_COPY) -> Model:
    """A sum of two inputs of ``shape`` with an activation code."""
    operand = Operand(FLOATS, shape, lifetime=OperandLifeTime.SUBGRAPH_INPUT)
    code = Operand(INTEGER, lifetime=lifetime, location=DataLocation(0, 0, len(activation)))
    result = Operand(FLOATS, shape, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
    operation = Operation(OperationType.ADD, (0, 1, 2), (3,))
    inputs = (0, 1, 2) if lifetime == OperandLifeTime.SUBGRAPH_INPUT else (0, 1)
    return Model(Subgraph((operand, operand, code, result), (operation,), inputs, (3,)), operand_values=activation)


def computed(prepared: BasePreparedModel, *inputs: Sequence[float]) -> list[float]:
    """The output of a model for vectors of float32."""
    (result,) = prepared.compute([np.array(elements, np.float32) for elements in inputs])
    values: list[float] = result.tolist()
    return values


def test_shapes_come_with_the_execution() -> None:
    """One prepared model takes vectors of every length, in any order."""
    prepared = prepare(create_device("litert"), added(bytes([1, 0, 0, 0]), (0,)))
    assert isinstance(prepared, BasePreparedModel)
    for length in (1, 2, 3, 4, 5, 6, 1, 3):
        assert computed(prepared, range(length), [-2.0] * length) == [max(number - 2, 0) for number in range(length)]


def test_broken_rules_have_the_status_of_the_contract() -> None:
    """Operands that do not broadcast are refused before LiteRT sees them; the model works on."""
    prepared = prepare(create_device("litert"), added(bytes(4), (0,)))
    assert isinstance(prepared, BasePreparedModel)
    with pytest.raises(HalError) as raised:
        computed(prepared, [1, 2], [1, 2, 3])
    assert (raised.value.status, raised.value.rule) == (ErrorStatus.GENERAL_FAILURE, "ADD/broadcast")
    assert computed(prepared, [1, 2], [3, 4]) == [4, 6]


def test_what_is_not_a_constant_is_not_claimed() -> None:
    """An activation code that only the request brings cannot be an option of a TFLite operator."""
    device = create_device("litert")
    assert device.get_supported_operations(added(bytes(4), (2,))) == (True,)
    assert device.get_supported_operations(added(b"", (2,), OperandLifeTime.SUBGRAPH_INPUT)) == (False,)


def test_absurd_sizes_are_refused() -> None:
    """An execution that would take gigabytes is refused; the model works on."""
    prepared = prepare(create_device("litert"), added(bytes(4), (0, 0)))
    assert isinstance(prepared, BasePreparedModel)
    with pytest.raises(HalError) as raised:
        prepared.compute([np.zeros((2**15, 1), np.float32), np.zeros((1, 2**15), np.float32)])
    assert raised.value.status is ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT
    (result,) = prepared.compute([np.ones((1, 2), np.float32)] * 2)
    assert result.tolist() == [[2, 2]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("kernels=fast", "kernels is 'fast'; choose xnnpack, builtin, reference"),
        ("threads=0", "threads is '0'; give a number from 1 on"),
        ("threads", "'threads' is not of the form option=value"),
        ("threads=1,threads=2", "option 'threads' is given twice"),
        ("precision=low", "options of a delegate need delegate="),
        ("delegate=/no/such.so", "the delegate /no/such.so cannot be loaded"),
    ],
)
def test_options_are_checked(arguments: str, message: str) -> None:
    """A mistake in the selector gives one message."""
    with pytest.raises(SelectorError, match=message):
        create_device(f"litert:{arguments}")
