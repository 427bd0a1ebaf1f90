"""Demands on every runtime behind an adapter, whatever its own functions do: shapes, quotients, NaN, refusals."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from nnvet.adapters import create_device
from nnvet.hal.enums import ErrorStatus, OperandLifeTime, OperationType
from nnvet.hal.errors import HalError
from tests.adapters.runtimes.binary_models import INTEGERS, binary, computed, pair, prepared

LOWEST: Final = -(2**31)
MODULES: Final = {"onnxruntime": ("onnx", "onnxruntime"), "torch": ("torch",)}
"""Modules that each kind needs."""


@pytest.fixture(params=MODULES)
def kind(request: pytest.FixtureRequest) -> str:
    """A kind that is installed."""
    name: str = request.param
    for module in MODULES[name]:
        pytest.importorskip(module, reason=f"the kind {name} needs its extra")
    return name


def test_shapes_come_with_the_execution(kind: str) -> None:
    """One prepared model, x + y and RELU, takes vectors of every length, in any order, none of them too."""
    model = prepared(kind, binary(OperationType.ADD, activation=1))
    for length in (1, 2, 0, 3, 4, 5, 6, 1, 3):
        assert computed(model, range(length), [-2.0] * length) == [max(number - 2, 0) for number in range(length)]


def test_integers_are_divided_downwards(kind: str) -> None:
    """Runtimes round towards zero, or raise an error for x / 0; the contract has 0, and wraps what overflows."""
    model = prepared(kind, binary(OperationType.DIV, INTEGERS))
    quotients = computed(model, [-5, 5, 5, 7, 0, LOWEST, LOWEST], [3, -3, 0, 7, 0, -1, 3], dtype="int32")
    assert quotients == [-2, -2, 0, 1, 0, LOWEST, -715827883]


def test_the_first_operand_stands_beside_a_nan(kind: str) -> None:
    """MAXIMUM treats NaN neither as ONNX's Max nor as torch.maximum does."""
    first, second = computed(prepared(kind, pair(OperationType.MAXIMUM)), [float("nan"), 1], [1, float("nan")])
    assert np.isnan(first)
    assert second == 1


def test_broken_rules_have_the_status_of_the_contract(kind: str) -> None:
    """Operands that do not broadcast are refused before the runtime sees them; the model works on."""
    model = prepared(kind, binary(OperationType.ADD))
    with pytest.raises(HalError) as raised:
        computed(model, [1, 2], [1, 2, 3])
    assert (raised.value.status, raised.value.rule) == (ErrorStatus.GENERAL_FAILURE, "ADD/broadcast")
    assert computed(model, [1, 2], [3, 4]) == [4, 6]


def test_what_is_not_a_constant_is_not_claimed(kind: str) -> None:
    """An activation code that only the request brings cannot choose what the model becomes."""
    device = create_device(kind)
    assert device.get_supported_operations(binary(OperationType.ADD)) == (True,)
    later = binary(OperationType.ADD, lifetime=OperandLifeTime.SUBGRAPH_INPUT)
    assert device.get_supported_operations(later) == (False,)
