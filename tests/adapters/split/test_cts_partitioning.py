"""CTS's TestPartitioning by the names of its tests: devices with figures, and the steps and results that CTS expects.

Where figures are equal the earlier device is taken, so what is the CPU in CTS stands where it has to win.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest

from nnvet.adapters.calls import prepare
from nnvet.adapters.split.assignment import GivenDevices, figure_of
from nnvet.adapters.split.device import SplitDevice
from nnvet.adapters.split.plan import SplitOptions
from nnvet.adapters.split.steps import INTERPRETER, SplitStep
from nnvet.driver_kit.base_device import BaseDevice, make_capabilities
from nnvet.driver_kit.blob_cache import STATE_VARIABLE
from nnvet.hal.conversion import model_complies
from nnvet.hal.enums import ExecutionPreference, OperandLifeTime, OperandType, OperationType, Priority
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device
from nnvet.hal.types import (
    Capabilities,
    DataLocation,
    Model,
    Operand,
    OperandPerformance,
    Operation,
    OutputShape,
    PerformanceInfo,
    Subgraph,
)
from nnvet.reference_driver import create
from tests.adapters.split.networks import CountingDevice
from tests.adapters.split.test_caching import TOKEN, SavingDevice, save
from tests.adapters.split.test_device import FOUR, UNKNOWN, padded_sum, run
from tests.adapters.split.test_interpreting import LOOP, control, numbers, of_life, part, result_of

ADD, MUL, SUB = OperationType.ADD, OperationType.MUL, OperationType.SUB
MAXIMUM, HARD_SWISH, PAD = OperationType.MAXIMUM, OperationType.HARD_SWISH, OperationType.PAD
FLOAT, FAST = OperandType.TENSOR_FLOAT32, ExecutionPreference.FAST_SINGLE_ANSWER
FUSED = (ADD, MUL, SUB)
"""Operations with an activation."""


class FigureDevice(CountingDevice):
    """The bundled driver with one figure of performance, the operations of a level, or only some of them."""

    def __init__(self, figure: float, *kinds: OperationType, level: str = "") -> None:
        """Support these kinds, or all without any."""
        super().__init__(create(level))
        info = PerformanceInfo(figure, figure)
        self.capabilities = make_capabilities(info, info, info)
        self.feature_level = create(level).get_feature_level()
        self._kinds = kinds

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Those of its kinds."""
        assert model_complies(model, self.feature_level)
        return tuple(not self._kinds or operation.type in self._kinds for operation in model.main.operations)


def graph(
    operations: Sequence[tuple[OperationType, tuple[int, ...], int]],
    outputs: Sequence[int],
    constants: Sequence[int] = (),
    kinds: Mapping[int, OperandType] = MappingProxyType({}),
    inputs: int = 0,
) -> Model:
    """A model of floats but for some ``kinds``; what no operation computes is an input, or a constant.

    The first ``inputs`` operands are inputs in any case. The activation is the last operand.
    """
    computed = [output for _, _, output in operations]
    count = max(inputs, *(max(*read, output) + 1 for _, read, output in operations))
    operands = [Operand(FLOAT, (1,), lifetime=OperandLifeTime.SUBGRAPH_INPUT) for _ in range(count)]
    for index, kind in kinds.items():
        operands[index] = Operand(kind, (1,), lifetime=OperandLifeTime.SUBGRAPH_INPUT)
    for index in computed:
        life = OperandLifeTime.SUBGRAPH_OUTPUT if index in outputs else OperandLifeTime.TEMPORARY_VARIABLE
        operands[index] = of_life(operands[index], life)
    for index in constants:
        operands[index] = Operand(FLOAT, (1,), lifetime=OperandLifeTime.CONSTANT_COPY, location=DataLocation(0, 4, 4))
    activation = Operand(OperandType.INT32, lifetime=OperandLifeTime.CONSTANT_COPY, location=DataLocation(0, 0, 4))
    read = tuple(index for index in range(count) if operands[index].lifetime == OperandLifeTime.SUBGRAPH_INPUT)
    return Model(
        Subgraph(
            (*operands, activation),
            tuple(
                Operation(kind, (*taken, count) if kind in FUSED else taken, (written,))
                for kind, taken, written in operations
            ),
            read,
            tuple(outputs),
        ),
        operand_values=struct.pack("if", 0, 3.0),
    )


SIMPLE_MODEL = graph([(ADD, (0, 1), 2), (MUL, (2, 3), 4)], [4])
SLICE_MODEL = graph(
    [(ADD, (0, 1), 2), (MUL, (0, 1), 3), (SUB, (0, 1), 4), (MAXIMUM, (2, 3), 5), (HARD_SWISH, (2,), 6)], [2, 4, 5, 6]
)


def steps(devices: Sequence[Device], model: Model, preference: int = FAST) -> list[SplitStep]:
    """The plan for a model."""
    return SplitDevice(devices).plan(model).steps(preference)


def of(step: SplitStep) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Device, inputs and outputs."""
    return step.device, step.inputs, step.outputs


def assert_simple(devices: Sequence[Device], model: Model, device: int, preference: int = FAST) -> None:
    """One device has the very model."""
    (step,) = steps(devices, model, preference)
    assert step.device == device
    assert step.model is model


def test_simple_model() -> None:
    """PartitioningTest.SimpleModel: the better one has all, of equal ones the first, or each has one operation."""
    power = ExecutionPreference.LOW_POWER
    assert_simple([FigureDevice(0.9), FigureDevice(0.5), FigureDevice(1.0)], SIMPLE_MODEL, 1, power)
    assert_simple([FigureDevice(1.0), FigureDevice(1.1), FigureDevice(1.0)], SIMPLE_MODEL, 0, power)
    first, second = steps([FigureDevice(0.9, ADD), FigureDevice(0.5, MUL)], SIMPLE_MODEL, power)
    assert of(first) == (0, (0, 1), (2,))
    assert of(second) == (1, (3, 2), (4,))


def levels(*figures: float) -> list[FigureDevice]:
    """Devices of the first four levels."""
    return [FigureDevice(figure, level=f"level_{level}") for level, figure in enumerate(figures, 1)]


def test_slice_model() -> None:
    """PartitioningTest.SliceModel: the newest device takes all if it is the best, else each what only it can take."""
    assert_simple(levels(0.9, 0.8, 0.7, 0.6), SLICE_MODEL, 3)
    found = steps(levels(0.6, 0.7, 0.8, 0.9), SLICE_MODEL)
    assert [of(step) for step in found] == [
        (1, (0, 1), (4,)),
        (0, (0, 1), (2, 3)),
        (3, (2,), (6,)),
        (2, (3, 2), (5,)),
    ]


def test_slice_model_to_empty() -> None:
    """PartitioningTest.SliceModelToEmpty: who knows no operation of a model is no error."""
    assert_simple(levels(0.6, 0.7, 0.8, 0.9), graph([(HARD_SWISH, (0,), 1)], [1]), 3)


def test_device_cpu_device() -> None:
    """PartitioningTest.Cpu: the device has one kind of operations, the CPU the rest."""
    operations = [
        (SUB, (0, 1), 2),
        (SUB, (0, 2), 3),
        (MUL, (0, 3), 4),
        (MUL, (2, 4), 5),
        (SUB, (3, 5), 7),
        (SUB, (6, 7), 8),
    ]
    found = steps([FigureDevice(0.5, SUB), FigureDevice(1.0)], graph(operations, [4, 8]))
    assert [of(step) for step in found] == [(0, (0, 1), (2, 3)), (1, (0, 3, 2), (4, 5)), (0, (6, 3, 5), (8,))]


def test_model_output_as_step_model_input() -> None:
    """PartitioningTest.ModelOutputAsStepModelInput: it stays an output, and the next step reads it."""
    model = graph([(ADD, (0, 1), 2), (MUL, (2, 2), 3)], [2, 3])
    found = steps([FigureDevice(0.5, ADD), FigureDevice(0.5, MUL)], model)
    assert [of(step) for step in found] == [(0, (0, 1), (2,)), (1, (2,), (3,))]


OEM_MODEL = Model(
    Subgraph(
        (
            Operand(OperandType.TENSOR_OEM_BYTE, (1,), lifetime=OperandLifeTime.SUBGRAPH_INPUT),
            Operand(OperandType.TENSOR_OEM_BYTE, (1,), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT),
        ),
        (Operation(OperationType.OEM_OPERATION, (0,), (1,)),),
        (0,),
        (1,),
    )
)


def oem(figure: float) -> FigureDevice:
    """A device with operations of its maker, for which it has a figure."""
    device = FigureDevice(figure, OperationType.OEM_OPERATION)
    listed = (OperandPerformance(OperandType.TENSOR_OEM_BYTE, PerformanceInfo(figure, figure)),)
    device.capabilities = Capabilities(operand_performance=listed)
    return device


def test_oem_operations() -> None:
    """PartitioningTest.OemOperations: the better of two that have them, nobody, and one that then refuses."""
    none, good = FigureDevice(0.5, ADD), oem(1.2)
    assert_simple([oem(1.5), none, good], OEM_MODEL, 2)
    assert SplitDevice([none]).get_supported_operations(OEM_MODEL) == (False,)
    with pytest.raises(HalError):
        prepare(SplitDevice([none]), OEM_MODEL)
    with pytest.raises(HalError):
        # The bundled driver behind it has none.
        prepare(SplitDevice([good]), OEM_MODEL)


@pytest.mark.parametrize("is_relaxed", [False, True])
def test_relaxed(is_relaxed: bool) -> None:
    """PartitioningTest.RelaxedFP: figures of relaxed models are others."""
    exact, half = FigureDevice(0.8), FigureDevice(0.9)
    for device, figure in ((exact, 0.9), (half, 0.8)):
        info = PerformanceInfo(figure, figure)
        strict = device.capabilities.operand_performance[0].info
        device.capabilities = make_capabilities(strict, strict, info)
    model = replace_relaxed(graph([(ADD, (0, 1), 2)], [2]), is_relaxed)
    assert_simple([exact, half], model, 1 if is_relaxed else 0)


def replace_relaxed(model: Model, is_relaxed: bool) -> Model:
    """The model with or without leave to compute in float16."""
    return Model(model.main, operand_values=model.operand_values, relax_computation_float32_to_float16=is_relaxed)


FIGURED = [kind for kind in OperandType if kind != OperandType.SUBGRAPH]


def of_type(kind: OperandType, figure: float) -> Capabilities:
    """0.5 for all types but this one."""
    infos = {figured: PerformanceInfo(0.5, 0.5) for figured in FIGURED} | {kind: PerformanceInfo(figure, figure)}
    return Capabilities(operand_performance=tuple(OperandPerformance(figured, info) for figured, info in infos.items()))


@pytest.mark.parametrize("kind", FIGURED, ids=lambda kind: kind.name)
def test_performance_by_type(kind: OperandType) -> None:
    """PartitioningTest.Perf: a device that is better for just the type of the first input wins, a worse one loses."""
    read = Operand(kind, lifetime=OperandLifeTime.SUBGRAPH_INPUT)
    written = Operand(kind, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
    operation = Operation(OperationType.OEM_OPERATION, (0,), (1,))
    main = Subgraph((read, written), (operation,), (0,), (1,))
    base = figure_of(of_type(kind, 0.5), FAST, Model(main), main, operation)
    assert figure_of(of_type(kind, 0.25), FAST, Model(main), main, operation) < base
    assert figure_of(of_type(kind, 0.75), FAST, Model(main), main, operation) > base


def test_lookup() -> None:
    """PerfTest.Lookup: the figure of a type is what was stored for it; a type without one is as slow as can be."""
    listed = tuple(OperandPerformance(kind, PerformanceInfo(float(kind), 1.0)) for kind in FIGURED)
    for kind in FIGURED:
        main = Subgraph((Operand(kind),), (), (), ())
        operation = Operation(OperationType.OEM_OPERATION, (0,), ())
        assert figure_of(Capabilities(operand_performance=listed), FAST, Model(main), main, operation) == float(kind)
        others = tuple(entry for entry in listed if entry.type != kind)
        assert figure_of(Capabilities(operand_performance=others), FAST, Model(main), main, operation) == float("inf")


@pytest.mark.parametrize(("figure", "expected"), [(0.9, 0), (1.1, 1)])
def test_a_driver_that_states_no_figures(figure: float, expected: int) -> None:
    """It is as fast as the reference CPU, as its base class says, and not as slow as a type that is not listed."""

    class Plain(BaseDevice):
        def supports(self, model: Model, operation: Operation) -> bool:
            return True

    assert_simple([FigureDevice(figure), Plain()], SIMPLE_MODEL, expected)


@pytest.mark.parametrize(
    ("model", "inputs", "result"),
    [
        pytest.param(
            graph([(HARD_SWISH, (0,), 1), (MUL, (1, 2), 3)], [3], constants=[0]), (5,), 15, id="ZeroInputStepModel"
        ),
        pytest.param(graph([(HARD_SWISH, (0,), 1), (MUL, (1, 2), 3)], [1]), (7, 2), 7, id="ZeroOutputStepModel"),
    ],
)
def test_steps_without_inputs_or_outputs(model: Model, inputs: tuple[float, ...], result: float) -> None:
    """PartitioningTest.ZeroInputStepModel and PartitioningTest.ZeroOutputStepModel: the model is prepared and right.

    By hand: hard swish of 3 is 3, times 5; hard swish of 7 is 7, and nobody reads what MUL makes of it.
    """
    device = SplitDevice(
        [FigureDevice(0.8), FigureDevice(0.5, MUL), FigureDevice(1.0)], SplitOptions(fallback="partial")
    )
    assert result_of(prepare(device, model), *numbers(*inputs)) == result


TOO_SMALL = 12
"""Bytes for three of the four elements."""


@pytest.mark.parametrize(
    ("shapes", "level"),
    [
        pytest.param((UNKNOWN, FOUR, UNKNOWN), "4", id="ModelOutputsSufficientSize"),
        pytest.param((UNKNOWN, UNKNOWN, UNKNOWN), "4", id="DynamicTemporariesUnspecifiedOutputs"),
        pytest.param((FOUR, UNKNOWN, FOUR), "4", id="DynamicTemporariesSpecifiedOutputs"),
        pytest.param((FOUR, UNKNOWN, FOUR), "3", id="DynamicTemporariesSpecifiedOutputs_V1_2"),
    ],
)
def test_dynamic_temporaries(shapes: tuple[tuple[int, ...], ...], level: str) -> None:
    """DynamicTemporariesTest, where there is space for the outputs: PAD on one device, ADD on the other."""
    device = SplitDevice(
        [FigureDevice(0.9, PAD, level=f"level_{level}"), FigureDevice(0.9, ADD, level=f"level_{level}")]
    )
    result, outputs = run(device, padded_sum(*shapes), (16, 16))
    assert result.output_shapes == (OutputShape(FOUR), OutputShape(FOUR))
    assert outputs == [(0, 3, 5, 0), (0, 6, 10, 0)]


@pytest.mark.parametrize(
    "shapes",
    [
        pytest.param((UNKNOWN, FOUR, UNKNOWN), id="ModelOutputsSufficientSize_V1_1"),
        pytest.param((FOUR, UNKNOWN, FOUR), id="DynamicTemporariesSpecifiedOutputs_V1_1"),
    ],
)
def test_sizes_that_old_devices_cannot_tell(shapes: tuple[tuple[int, ...], ...]) -> None:
    """DynamicTemporariesTest of drivers of HAL 1.1: without anybody else preparing fails, else that one has all."""
    old = [FigureDevice(0.9, PAD, level="level_2"), FigureDevice(0.9, ADD, level="level_2")]
    model = padded_sum(*shapes)
    with pytest.raises(HalError):
        prepare(SplitDevice(old), model)
    newer = FigureDevice(1.0)
    result, outputs = run(SplitDevice([*old, newer], SplitOptions(fallback="partial")), model, (16, 16))
    assert result.output_sufficient_size
    assert outputs == [(0, 3, 5, 0), (0, 6, 10, 0)]
    assert newer.executions


@pytest.mark.parametrize(
    ("second", "capacities"),
    [
        pytest.param(UNKNOWN, (TOO_SMALL, TOO_SMALL), id="ModelOutputsInsufficientSizeWithDynamicTemporary"),
        pytest.param(FOUR, (TOO_SMALL, TOO_SMALL), id="ModelOutputsInsufficientSizeWithoutDynamicTemporary"),
        pytest.param(FOUR, (TOO_SMALL, 16), id="ModelOutput2InsufficientSizeWithoutDynamicTemporary"),
        pytest.param(FOUR, (16, TOO_SMALL), id="ModelOutput4InsufficientSizeWithoutDynamicTemporary"),
    ],
)
def test_outputs_that_are_too_small(second: tuple[int, ...], capacities: tuple[int, int]) -> None:
    """DynamicTemporariesTest, where one or both outputs lack space: they are reported with their shapes."""
    device = SplitDevice([FigureDevice(0.9, PAD), FigureDevice(0.9, ADD)])
    result, _ = run(device, padded_sum(UNKNOWN, second, UNKNOWN), capacities)
    assert not result.output_sufficient_size
    assert result.output_shapes == tuple(OutputShape(FOUR, capacity == 16) for capacity in capacities)


def tokens(
    folder: Path, assigned: tuple[int, ...], names: tuple[str, str] = ("A", "B"), version: str = "1.0", **given: object
) -> tuple[bytes, ...]:
    """The tokens that the devices get for SIMPLE_MODEL, however often it is saved."""
    found = set()
    for _ in range(2):
        devices = [SavingDevice(names[0], version), SavingDevice(names[1])]
        device = SplitDevice(devices, SplitOptions(GivenDevices(assigned)))
        save(device, SIMPLE_MODEL, folder / "cache", **given)
        found.add(tuple(token for saving in devices for token in saving.saved))
    (same,) = found
    assert len(same) == len(set(assigned))
    return same


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """For what is cached."""
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    return tmp_path


SIMPLE, COMPOUND = (0,), (0, 1)
PREFERENCES: list[dict[str, object]] = [
    {"preference": preference}
    for preference in ExecutionPreference
    if preference != ExecutionPreference.FAST_SINGLE_ANSWER
]
DIFFERENT: dict[str, list[dict[str, object]]] = {
    "DeviceNames": [{"names": ("B", "C")}],
    "DeviceVersionStrings": [{"version": "1.1"}],
    "Preferences": PREFERENCES,
    "Priorities": [{"priority": Priority.LOW}, {"priority": Priority.HIGH}],
    "Tokens": [{"cache_token": TOKEN[::-1]}],
}


@pytest.mark.parametrize(
    ("assigned", "others"),
    [
        pytest.param(SIMPLE, DIFFERENT["DeviceNames"], id="CacheTokenDifferentDeviceNamesSimpleBody"),
        pytest.param(COMPOUND, DIFFERENT["DeviceNames"], id="CacheTokenDifferentDeviceNamesCompoundBody"),
        pytest.param(SIMPLE, DIFFERENT["DeviceVersionStrings"], id="CacheTokenDifferentDeviceVersionStringsSimpleBody"),
        pytest.param(
            COMPOUND, DIFFERENT["DeviceVersionStrings"], id="CacheTokenDifferentDeviceVersionStringsCompoundBody"
        ),
        pytest.param(SIMPLE, DIFFERENT["Preferences"], id="CacheTokenDifferentPreferencesSimpleBody"),
        pytest.param(COMPOUND, DIFFERENT["Preferences"], id="CacheTokenDifferentPreferencesCompoundBody"),
        pytest.param(SIMPLE, DIFFERENT["Priorities"], id="CacheTokenDifferentPrioritiesSimpleBody"),
        pytest.param(COMPOUND, DIFFERENT["Priorities"], id="CacheTokenDifferentPrioritiesCompoundBody"),
        pytest.param(SIMPLE, DIFFERENT["Tokens"], id="CacheTokenDifferentTokensSimpleBody"),
        pytest.param(COMPOUND, DIFFERENT["Tokens"], id="CacheTokenDifferentTokensCompoundBody"),
    ],
)
def test_cache_tokens_differ(folder: Path, assigned: tuple[int, ...], others: list[dict[str, object]]) -> None:
    """CacheTest: the first device has another token for whatever differs, and always the same one for the same."""
    first = [tokens(folder, assigned, **given)[0] for given in ({}, *others)]  # type: ignore[arg-type]
    assert len(set(first)) == len(first)


@pytest.mark.parametrize(
    "assigned",
    [pytest.param(SIMPLE, id="CacheTokenNoneSimpleBody"), pytest.param(COMPOUND, id="CacheTokenNoneCompoundBody")],
)
def test_no_cache_token(assigned: tuple[int, ...]) -> None:
    """CacheTest: a client without a token gives devices none either."""
    devices = [SavingDevice("A"), SavingDevice("B")]
    prepare(SplitDevice(devices, SplitOptions(GivenDevices(assigned))), SIMPLE_MODEL)
    assert {token for device in devices for token in device.saved} == {bytes(32)}


def test_cache_tokens_of_partitions(folder: Path) -> None:
    """CacheTest.CacheTokenDifferentPartitionsCompoundBody: A's token for all, the first, and the second operation."""
    all_of_it, first = tokens(folder, (0,))[0], tokens(folder, (0, 1))[0]
    assert len({all_of_it, first, tokens(folder, (1, 0))[0]}) == 3


def test_cache_tokens_of_referenced_models(folder: Path) -> None:
    """CacheTest.CacheTokenDifferentReferenceModelPartitions: equal branches on one device have different tokens."""
    model = control(OperationType.IF, (part([ADD]), part([ADD])))
    device = SavingDevice("A")
    save(SplitDevice([device], SplitOptions(interprets=True)), model, folder / "cache")
    assert len(device.saved) == len(set(device.saved)) == 2


@pytest.mark.parametrize("dimensions", [(), (0,)])
def test_loops_of_unknown_size(dimensions: tuple[int, ...]) -> None:
    """ControlFlowPartitioningTest.WHILE_UnknownSize: no driver may take one, and nobody interprets it."""
    device = SplitDevice([FigureDevice(0.5, level="level_2"), create("")], SplitOptions(interprets=True))
    assert [step.device for step in device.plan(LOOP).steps(FAST)] == [INTERPRETER]
    with pytest.raises(HalError) as refused:
        device.plan(replace_outer(LOOP, dimensions))
    assert refused.value.rule == "WHILE/known_sizes"


def replace_outer(model: Model, dimensions: tuple[int, ...]) -> Model:
    """The model with other dimensions of all its inputs and outputs."""
    main = model.main
    listed = (*main.input_indexes, *main.output_indexes)
    operands = tuple(
        Operand(operand.type, dimensions, lifetime=operand.lifetime) if index in listed else operand
        for index, operand in enumerate(main.operands)
    )
    changed = Subgraph(operands, main.operations, main.input_indexes, main.output_indexes)
    return Model(changed, model.referenced, model.operand_values)
