"""The judge of requests: rules that values break are found without a driver, and undecidable requests are left open.

The rules are those of docs/contract/operations (GATHER, TILE, PAD, RESHAPE); each verdict was read off their pages.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from nnvet.conformance.engine.target import Target
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.fuzz.findings import FuzzFinding
from nnvet.fuzz.model.form import encode_model, model_of_test
from nnvet.fuzz.model.harness import ModelInput
from nnvet.fuzz.model.runnable import is_runnable
from nnvet.fuzz.target import FuzzedDriver
from nnvet.graphs.builder import GraphBuilder, counting_loop, endless_loop, sum_of_two
from nnvet.graphs.hal_model import build_model, close_pools, pack_request
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.errors import failure
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import Model, PrepareModelConfig

FLOATS, INTEGERS = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_INT32


def judge(test: TestModel) -> bool:
    """The verdict on a test's own inputs."""
    model, packed = build_model(test), pack_request(test)
    try:
        return is_runnable(model, packed.request)
    finally:
        packed.close()
        close_pools(model)


def unary(operation: OperationType, parameter: list[int], size: int = 3, shape: tuple[int, ...] = (3,)) -> TestModel:
    """An operation on ``size`` numbers with an input of integers, and an output of a shape that the model declares."""
    graph = GraphBuilder()
    data = graph.input(FLOATS, (size,), [1.0] * size)
    values = graph.input(INTEGERS, (len(parameter),), parameter)
    graph.operation(operation, (data, values), graph.output(FLOATS, shape, ones(shape)))
    return graph.finish("unary")


def ones(shape: tuple[int, ...]) -> list[float]:
    """As many ones as a small shape has elements; none of a large one, whose results nobody looks at."""
    count = 1
    for dimension in shape:
        count *= dimension
    return [1.0] * count if count < 1000 else []


def gather(index: int) -> TestModel:
    """One of three numbers."""
    graph = GraphBuilder()
    data = graph.input(FLOATS, (3,), [1.0, 2.0, 3.0])
    inputs = data, graph.scalar(OperandType.INT32, 0), graph.input(INTEGERS, (1,), [index])
    graph.operation(OperationType.GATHER, inputs, graph.output(FLOATS, (1,), [1.0]))
    return graph.finish("gather")


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (sum_of_two("sum", [[1.0]], [[2.0]], [[3.0]]), True),
        (counting_loop(3), True),
        (gather(2), True),
        (gather(3), False),
        (gather(-1), False),
        (unary(OperationType.RESHAPE, [3, 1], shape=(3, 1)), True),
        (unary(OperationType.RESHAPE, [2, 2], shape=(2, 2)), False),
        (unary(OperationType.RESHAPE, [3, 1], shape=(1, 3)), False),
        (unary(OperationType.TILE, [2], shape=(6,)), True),
        (unary(OperationType.TILE, [2], shape=(5,)), False),
    ],
    ids=lambda value: value.name if isinstance(value, TestModel) else None,
)
def test_values_break_rules(test: TestModel, expected: bool) -> None:
    """Indexes within the tensor, sizes that keep all elements, outputs as they are declared; and each not so."""
    assert judge(test) is expected


def test_what_does_not_end_is_left_open() -> None:
    """A loop for ever, and a tensor of 2^40 elements, end the judge soon, and accuse nobody."""
    assert not judge(endless_loop())
    assert not judge(unary(OperationType.TILE, [2**30], size=2**10, shape=(0,)))


class UnwillingModel(BasePreparedModel):
    """Executes nothing."""

    def compute(self, inputs: Sequence[Any]) -> list[Any]:
        """Refuse, as a driver does for which a value is wrong."""
        raise failure("no", "execution/status")


class Unwilling(BaseDevice):
    """Claims and prepares everything, and refuses to execute it."""

    def supports(self, model: Model, operation: object) -> bool:
        """A promise."""
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """Keep half of the promise."""
        return UnwillingModel(model)


def test_a_refused_execution_is_a_finding() -> None:
    """A driver that prepares a sum has to execute it, also the bundled one, whose name the target has."""
    sum_model = encode_model(model_of_test(sum_of_two("sum", [[1.0, 2.0]], [[3.0, 4.0]], [[4.0, 6.0]])))
    harness = ModelInput(FuzzedDriver(Unwilling(), Target("reference", in_process=True)))
    with pytest.raises(FuzzFinding, match="whose values keep all rules"):
        harness(sum_model)


def test_an_execution_that_has_to_be_refused_is_none() -> None:
    """A driver that claims everything may refuse what breaks a rule: the same driver, an index outside."""
    harness = ModelInput(FuzzedDriver(Unwilling(), Target("reference", in_process=True)))
    broken = model_of_test(unary(OperationType.RESHAPE, [2, 2], shape=(2, 2)))
    harness(encode_model(broken))
