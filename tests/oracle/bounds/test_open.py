"""No bound is a NaN, whatever the numbers are, and whatever an undecided element holds, nobody is blamed for it."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.generators.random_graphs.golden import estimates, inputs_of
from nnvet.generators.random_graphs.named import SingleTest, single_tests
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.graphs.editor import with_operands
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import Array, TestModel
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.execution import RULES, only_call
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.bounds.rule import EstimatedCall
from nnvet.oracle.execution import evaluate
from tests.oracle.bounds.calls import estimated, floats, number

OT = OperationType
T = OperandType
SMALL = SizeLimits(8, 400)
SEEDS = 4
ODD = np.array([0.0, -0.0, 0.0, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-40])
PLAIN = np.array([0.0, 0.0, 1.0, -1.0, 3.0, -64.0])
REGIONS = {OT.ROI_ALIGN: 1, OT.ROI_POOLING: 1}
"""Operations with an input of regions, which may not be any numbers."""
BOXES = (OT.BOX_WITH_NMS_LIMIT, OT.DETECTION_POSTPROCESSING, OT.GENERATE_PROPOSALS)
"""Operations whose bounds are a sample of inputs: the one of an undecided element is not among them."""


def assert_bounds_are_numbers(bounds: list[Estimate]) -> None:
    """Errors, their common parts and their deviations are magnitudes or infinite."""
    for bound in bounds:
        for array in (bound.error, bound.shared, bound.deviation):
            assert array is None or not np.isnan(array).any()
        assert (bound.error >= 0).all()


def is_changed(kind: int) -> bool:
    """Check that an input's elements may be any number."""
    return type_info(kind).is_float and type_info(kind).is_tensor


def places(random: np.random.Generator, array: Array) -> Array:
    """About one of four elements."""
    return random.integers(4, size=array.shape) == 0


def with_odd_numbers(test: TestModel, seed: int) -> TestModel:
    """A test whose tensors of floats have one of four elements replaced."""
    random = np.random.default_rng(seed)
    changed = {}
    regions = [
        operation.inputs[REGIONS[OT(operation.type)]] for operation in test.main.operations if operation.type in REGIONS
    ]
    for index, operand in enumerate(test.main.operands):
        if operand.data is not None and index not in (*test.main.output_indexes, *regions) and is_changed(operand.type):
            data = np.where(places(random, operand.data), random.choice(ODD, operand.data.shape), operand.data)
            with np.errstate(over="ignore"):
                changed[index] = replace(operand, data=data.astype(operand.data.dtype))
    return replace(test, main=with_operands(test.main, changed))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("single", single_tests(), ids=lambda single: single.operation)
@pytest.mark.parametrize("relaxed", [False, True], ids=["exact", "relaxed"])
def test_no_bound_is_a_nan(single: SingleTest, relaxed: bool) -> None:
    """Infinities, zeros of either sign, NaN, the largest numbers and subnormal ones in all tensors, mixed."""
    for seed in range(SEEDS):
        test = with_odd_numbers(single.make(seed, SMALL), seed)
        with np.errstate(all="ignore"):
            for contract in (False, True):
                assert_bounds_are_numbers(estimates(replace(test, is_relaxed=relaxed), contract=contract))


@contextmanager
def called(test: TestModel) -> Iterator[tuple[EstimatedCall, list[int]] | None]:
    """The only operation of a test with its operands, and the tensors of floats among the inputs; None of others."""
    model = build_model(test)
    try:
        with only_call(model, inputs_of(test)) as call:
            if call is None:
                yield None
                return
            (operation,) = test.main.operations
            yield (
                call,
                [
                    position
                    for position, index in enumerate(operation.inputs)
                    if index in test.main.input_indexes
                    and call.inputs[position] is not None
                    and is_changed(test.main.operands[index].type)
                    and position != REGIONS.get(OT(operation.type))
                ],
            )
    finally:
        close_pools(model)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("single", single_tests(), ids=lambda single: single.operation)
def test_what_an_undecided_element_holds_blames_nobody(single: SingleTest) -> None:
    """One of four elements is open, and a driver has any other finite number there."""
    for seed in range(2 * SEEDS):
        test, random = single.make(seed, SMALL), np.random.default_rng(seed)
        with called(test) as found, np.errstate(all="ignore"):
            if found is None or found[0].operation in BOXES:
                return
            call, positions = found
            inputs, changed = list(call.inputs), {}
            for position in positions:
                estimate = call.estimate(position)
                is_open = places(random, estimate.value)
                inputs[position] = replace(estimate, error=np.where(is_open, np.inf, estimate.error))
                index = test.main.operations[0].inputs[position]
                other = np.where(is_open, random.choice(PLAIN, is_open.shape), estimate.value)
                operand = test.main.operands[index]
                changed[index] = replace(operand, data=other.reshape(-1).astype(operand.data.dtype))
            bounds = RULES[call.operation].estimate(replace(call, inputs=inputs))
            assert_bounds_are_numbers(list(bounds))
            other_test = replace(test, main=with_operands(test.main, changed))
            model = build_model(other_test)
            try:
                results = evaluate(model, inputs_of(other_test))
            finally:
                close_pools(model)
            for place, (result, bound, operand) in enumerate(zip(results, bounds, test.main.outputs, strict=False)):
                if operand.is_ignored:
                    continue
                wrong = compare_estimate(result, bound)
                assert wrong is None, (test.name, place, wrong)


def test_a_bound_that_is_no_number_is_infinite() -> None:
    """Infinity times zero, in a product, leaves its sum open and demands neither a number nor a class."""
    pixels = floats(np.zeros((1, 1)))
    (zero,) = estimated(OT.BATCH_MATMUL, [pixels, pixels, number(0, T.BOOL), number(0, T.BOOL)])
    opened = replace(zero, value=np.array([np.inf, 2.0]), error=np.array([np.nan, 1.0]))
    assert np.isinf(opened.error[0])
    assert np.isnan(opened.value[0])
    assert opened.error[1] == 1
    assert compare_estimate(np.array([7.0, 2.5], np.float32), opened) is None
