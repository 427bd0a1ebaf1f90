"""Steps as the runtime of Android makes them; the expected plans are those of CTS's tests of partitioning."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nnvet.adapters.split.assignment import (
    DrawnDevices,
    GivenDevices,
    MemberAnswers,
    assign,
    by_figures,
    figure_of,
    the_first,
)
from nnvet.adapters.split.steps import SplitStep, group_operations, split_steps
from nnvet.hal.enums import ExecutionPreference, OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.types import (
    Capabilities,
    DataLocation,
    Model,
    Operand,
    OperandPerformance,
    Operation,
    PerformanceInfo,
    Subgraph,
)

FLOAT = OperandType.TENSOR_FLOAT32
FAST = ExecutionPreference.FAST_SINGLE_ANSWER
KINDS = (OperationType.ADD, OperationType.MUL, OperationType.SUB)


def model_of(operations: Sequence[tuple[int, tuple[int, ...], int]], outputs: Sequence[int]) -> Model:
    """Operations, each a number of KINDS with inputs and output; what none computes is an input of the model."""
    computed = {output for _, _, output in operations}
    count = max(max(*inputs, output) for _, inputs, output in operations) + 1
    lifetimes = dict.fromkeys(computed, OperandLifeTime.TEMPORARY_VARIABLE)
    lifetimes |= dict.fromkeys(outputs, OperandLifeTime.SUBGRAPH_OUTPUT)
    operands = [
        Operand(FLOAT, (1,), lifetime=lifetimes.get(index, OperandLifeTime.SUBGRAPH_INPUT), number_of_consumers=0)
        for index in range(count)
    ]
    main = Subgraph(
        tuple(operands),
        tuple(Operation(KINDS[kind], inputs, (output,)) for kind, inputs, output in operations),
        tuple(index for index in range(count) if index not in computed),
        tuple(outputs),
    )
    return Model(main)


def of(step: SplitStep) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Device, inputs and outputs."""
    return step.device, step.inputs, step.outputs


def test_a_model_of_one_device_stays_as_it_is() -> None:
    """The step has the very model."""
    model = model_of([(0, (0, 1), 2), (1, (2, 3), 4)], [4])
    (step,) = split_steps(model, (1, 1))
    assert step.model is model
    assert of(step) == (1, (0, 1, 3), (4,))


def test_a_temporary_comes_behind_the_inputs_of_the_model() -> None:
    """CTS's SimpleModel."""
    model = model_of([(0, (0, 1), 2), (1, (2, 3), 4)], [4])
    first, second = split_steps(model, (0, 1))
    assert of(first) == (0, (0, 1), (2,))
    assert of(second) == (1, (3, 2), (4,))


def test_devices_wait_for_what_becomes_ready() -> None:
    """CTS's Cpu: the device takes two operations, the CPU two, and the device the rest."""
    operations = [(2, (0, 1), 2), (2, (0, 2), 3), (1, (0, 3), 4), (1, (2, 4), 5), (2, (3, 5), 7), (2, (6, 7), 8)]
    model = model_of(operations, [4, 8])
    steps = split_steps(model, (0, 0, 1, 1, 0, 0))
    assert [step.operations for step in steps] == [(0, 1), (2, 3), (4, 5)]
    assert of(steps[0]) == (0, (0, 1), (2, 3))
    assert of(steps[1]) == (1, (0, 3, 2), (4, 5))
    assert of(steps[2]) == (0, (6, 3, 5), (8,))


def test_the_last_device_that_is_ready_comes_first() -> None:
    """CTS's NoControlFlow: B, A, C."""
    model = model_of([(0, (0, 1), 2), (1, (1, 3), 4), (2, (2, 4), 5)], [2, 5])
    assert [device for device, _ in group_operations(model.main, (0, 1, 2))] == [1, 0, 2]


def test_an_output_of_the_model_that_another_step_reads_stays_one() -> None:
    """CTS's ModelOutputAsStepModelInput."""
    model = model_of([(0, (0, 1), 2), (1, (2, 2), 3)], [2, 3])
    first, second = split_steps(model, (0, 1))
    assert of(first) == (0, (0, 1), (2,))
    assert of(second) == (1, (2,), (3,))
    operands = second.model.main.operands
    assert operands[0].lifetime == OperandLifeTime.SUBGRAPH_INPUT
    assert operands[0].number_of_consumers == 2


def performance(time: float, power: float = 1.0, relaxed: float = 1.0) -> Capabilities:
    """Figures of float32 alone."""
    listed = (OperandPerformance(FLOAT, PerformanceInfo(time, power)),)
    return Capabilities(PerformanceInfo(relaxed), PerformanceInfo(relaxed), listed)


def assigned(model: Model, *capabilities: Capabilities, preference: int = FAST) -> tuple[int, ...]:
    """Devices of a model's operations, where all support all."""
    answers = MemberAnswers(((True,) * len(model.main.operations),) * len(capabilities), ("",) * len(capabilities))
    return assign(model, answers, capabilities, preference, by_figures)


def test_the_smallest_figure_wins() -> None:
    """That of the preference; of equal ones the first."""
    model = model_of([(0, (0, 1), 2)], [2])
    good, bad = performance(0.5, power=0.9), performance(0.9, power=0.5)
    assert assigned(model, bad, good) == (1,)
    assert assigned(model, bad, good, preference=ExecutionPreference.LOW_POWER) == (0,)
    assert assigned(model, good, good) == (0,)


@pytest.mark.parametrize("is_relaxed", [False, True])
def test_relaxed_models_have_figures_of_their_own(is_relaxed: bool) -> None:
    """CTS's RelaxedFP."""
    model = model_of([(0, (0, 1), 2)], [2])
    model = Model(model.main, relax_computation_float32_to_float16=is_relaxed)
    exact, half = performance(0.8, relaxed=0.9), performance(0.9, relaxed=0.8)
    assert assigned(model, exact, half) == ((1,) if is_relaxed else (0,))


def test_branches_count_by_half_and_types_without_figures_are_slowest() -> None:
    """0.25 + 0.5 * (0.5 + 0.5), where each branch is one operation."""
    branch = model_of([(0, (0, 1), 2)], [2]).main
    reference = [Operand(OperandType.SUBGRAPH, location=DataLocation(offset=index)) for index in (0, 1)]
    main = Subgraph((Operand(OperandType.TENSOR_BOOL8, (1,)), *reference), (), (), ())
    model = Model(main, referenced=(branch, branch))
    listed = (OperandPerformance(FLOAT, PerformanceInfo(0.5, 1.0)),)
    capabilities = Capabilities(operand_performance=listed, if_performance=PerformanceInfo(0.25, 1.0))
    assert figure_of(capabilities, FAST, model, main, Operation(OperationType.IF, (0, 1, 2), ())) == 0.75
    assert figure_of(capabilities, FAST, model, main, Operation(OperationType.LOGICAL_NOT, (0,), ())) == float("inf")


def test_choices_stay_within_what_is_supported() -> None:
    """Whatever is asked for; an operation that nobody takes is an error."""
    model = model_of([(0, (0, 1), 2), (1, (2, 3), 4), (2, (4, 5), 6)], [6])
    answers = MemberAnswers(((True, False, True), (True, True, False)), ("", ""))
    figures = [performance(0.5), performance(0.4)]
    for choose, wanted in (
        (by_figures, (1, 1, 0)),
        (the_first, (0, 1, 0)),
        (GivenDevices((0,)), (0, 1, 0)),
        (GivenDevices((1, 0)), (1, 1, 0)),
    ):
        assert assign(model, answers, figures, FAST, choose) == wanted
    drawn = {assign(model, answers, figures, FAST, DrawnDevices(seed)) for seed in range(20)}
    assert drawn == {(0, 1, 0), (1, 1, 0)}
    with pytest.raises(HalError, match="no device supports operation 1"):
        assign(model, MemberAnswers(((True, False, True),), ("",)), figures, FAST, by_figures)
