"""Laws of a device over devices: a partition equals the whole to the bit, and a failure changes nothing but time.

Each law is broken by the planted faults of borders, which are found here, too.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from nnvet.adapters.calls import prepare
from nnvet.adapters.split.assignment import DrawnDevices
from nnvet.adapters.split.device import SplitDevice
from nnvet.adapters.split.faults import FAULTS, RIGHT, BorderFault
from nnvet.adapters.split.plan import SplitOptions
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, OperandType, OperationType
from nnvet.hal.interfaces import ExecutionCallback, PreparedModel, PreparedModelCallback
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Model, PrepareModelConfig, Request, Timing
from nnvet.reference_driver import create
from tests.adapters.split.networks import KNOWN, OPEN, Answer, CountingDevice, Network, answer_of, executed, network

SEEDS = range(60)
MANY = [range(first, first + 50) for first in range(1000, 6000, 50)]
"""For the long form, in which each seed stands for four models: 20,000 in all, in parts that end within minutes."""
LITTLE = 12
"""Bytes: less space than most outputs need."""
REFERENCE = create("")


def partition(seed: int, fault: BorderFault = RIGHT) -> SplitDevice:
    """Two to four copies of the bundled driver; the seed says which operation is whose."""
    return SplitDevice([REFERENCE] * (2 + seed % 3), SplitOptions(DrawnDevices(seed), fault=fault))


def assert_equals_whole(seed: int, options: GraphOptions, capacity: int) -> Answer:
    """Both answers are the same; it is returned."""
    tested = network(seed, options)
    whole = answer_of(REFERENCE, tested, capacity=capacity)
    # The second execution has the sizes of the first one to guess with.
    assert answer_of(partition(seed), tested, runs=2, capacity=capacity) == whole, f"seed {seed}"
    return whole


def assert_same_results(prepared: PreparedModel, tested: Network) -> None:
    """A prepared model computes what the bundled driver does."""
    assert executed(prepared, tested) == answer_of(REFERENCE, tested)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("options", "capacity"), [(KNOWN, 1 << 15), (OPEN, 1 << 15), (OPEN, LITTLE)])
def test_a_partition_equals_the_whole(options: GraphOptions, capacity: int) -> None:
    """Whatever operation is whose, and whether sizes are known before or only once they are computed."""
    answers = [assert_equals_whole(seed, options, capacity) for seed in SEEDS]
    assert any(answer.outputs for answer in answers)
    # Of outputs without space there are some, and their shapes are reported all the same.
    assert any(not shape.is_sufficient for answer in answers for shape in answer.shapes) is (capacity == LITTLE)


@pytest.mark.long
@pytest.mark.parametrize("seeds", MANY, ids=lambda seeds: str(seeds.start))
def test_partitions_of_twenty_thousand_models_equal_the_whole(seeds: range) -> None:
    """The same for many more."""
    for seed in seeds:
        for options in (KNOWN, OPEN):
            assert_equals_whole(seed, options, 1 << 15)
            assert_equals_whole(seed + 5000, options, LITTLE)


OF_ALL_LEVELS = replace(
    KNOWN,
    types=(OperandType.TENSOR_FLOAT32,),
    only=(
        *(OperationType.ADD, OperationType.MUL, OperationType.RELU, OperationType.TANH),
        *(OperationType.SUB, OperationType.DIV),
        *(OperationType.ABS, OperationType.SQRT),
        *(OperationType.ELU, OperationType.HARD_SWISH),
    ),
)
"""Operations of the first four levels."""


class OldModel(BasePreparedModel):
    """A prepared model of a driver that has nothing but asynchronous executions, as before FL3."""

    def __init__(self, inner: PreparedModel, model: Model) -> None:
        """Stand for ``inner``."""
        super().__init__(model)
        self._inner = inner

    def execute(self, request: Request, config: ExecutionConfig, deadline_ns: int, callback: ExecutionCallback) -> None:
        """Have it execute; it has no shapes and no times to tell."""
        assert (config, deadline_ns) == (ExecutionConfig(), NO_DEADLINE)
        self._inner.execute_synchronously(request, config, deadline_ns)
        callback.notify(ErrorStatus.NONE, (), Timing())

    def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Fail the test: there is no such method."""
        pytest.fail("a driver of FL2 is called synchronously")


class OldDevice(CountingDevice):
    """The bundled driver at FL1 or FL2, called by no method that a driver of that level lacks."""

    def __init__(self, level: int) -> None:
        """Be of this level."""
        self._bundled = create(f"level_{level}")
        super().__init__(self._bundled)
        self.feature_level = self._bundled.get_feature_level()

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Have the bundled driver prepare it."""
        assert config == PrepareModelConfig()
        assert {operand.number_of_consumers is None for operand in model.main.operands} == {False}
        callback.notify(ErrorStatus.NONE, OldModel(prepare(self._bundled, model, config), model))


def test_drivers_of_older_levels_take_part() -> None:
    """Each computes what it can know, in the form that it knows; the whole is what the newest one computes."""
    devices = [OldDevice(1), OldDevice(2), create("level_3"), create("level_4"), REFERENCE]
    used: set[int] = set()
    for seed in SEEDS[:20]:
        tested = network(seed, OPEN if seed % 2 else OF_ALL_LEVELS)
        device = SplitDevice(devices, SplitOptions(DrawnDevices(seed)))
        assert answer_of(device, tested, measured=True) == answer_of(REFERENCE, tested), f"seed {seed}"
        model = build_model(tested.given)
        used |= {step.device for step in device.plan(model).steps(PrepareModelConfig().preference)}
        close_pools(model)
    assert used == set(range(5))


def failing_partition(
    seed: int, fallback: str, turn: int, fault: BorderFault = RIGHT
) -> tuple[SplitDevice, list[CountingDevice]]:
    """Three devices, of which the one that executes step number ``turn`` fails in that; then nothing fails."""
    turns: list[int] = []

    def fails(_: int) -> bool:
        turns.append(len(turns))
        return turns[-1] == turn

    devices = [CountingDevice(REFERENCE, fails) for _ in range(3)]
    return SplitDevice(devices, SplitOptions(DrawnDevices(seed), fallback, fault)), devices


def executions(devices: list[CountingDevice]) -> int:
    """Executions of all devices together."""
    return sum(len(device.executions) for device in devices)


def assert_failure_changes_nothing(seed: int, fallback: str) -> None:
    """Any step may be the one that fails, after it has written rubbish."""
    tested = network(seed, OPEN if seed % 2 else KNOWN)
    whole = answer_of(REFERENCE, tested)
    device, devices = failing_partition(seed, fallback, -1)
    assert answer_of(device, tested) == whole
    steps = executions(devices)
    turn = random.Random(seed).randrange(steps)
    device, devices = failing_partition(seed, fallback, turn)
    assert answer_of(device, tested) == whole, f"seed {seed}, turn {turn}"
    # One more execution in all, or none of what follows the failure and one of everything.
    assert executions(devices) == (steps + 1 if fallback == "partial" else turn + 2), f"seed {seed}"


@pytest.mark.parametrize("fallback", ["whole", "partial"])
def test_a_step_that_fails_changes_nothing_but_time(fallback: str) -> None:
    """Of thirty models."""
    for seed in SEEDS[:30]:
        assert_failure_changes_nothing(seed, fallback)


@pytest.mark.long
@pytest.mark.parametrize("seeds", MANY[:10], ids=lambda seeds: str(seeds.start))
def test_steps_that_fail_in_many_models(seeds: range) -> None:
    """The same for 500 more, with either fallback."""
    for seed in seeds:
        for fallback in ("whole", "partial"):
            assert_failure_changes_nothing(seed, fallback)


def test_without_a_fallback_a_failure_is_the_clients() -> None:
    """It has the status of the device that failed."""
    for seed in SEEDS[:10]:
        device, devices = failing_partition(seed, "none", 0)
        assert answer_of(device, network(seed)) == Answer("GENERAL_FAILURE")
        assert executions(devices) == 1


@pytest.mark.parametrize("fallback", ["whole", "partial"])
def test_a_preparation_that_fails_changes_nothing_but_time(fallback: str) -> None:
    """The first device prepares nothing: another one does its steps, or all of them."""
    for seed in SEEDS[:20]:
        tested = network(seed)
        devices = [CountingDevice(REFERENCE, refuses=lambda _: True), CountingDevice(REFERENCE)]
        device = SplitDevice(devices, SplitOptions(DrawnDevices(seed), fallback))
        assert answer_of(device, tested) == answer_of(REFERENCE, tested)
        assert not devices[0].executions
        assert devices[1].executions


def _breaks_partition(fault: BorderFault) -> Callable[[int, Network], bool]:
    return lambda seed, tested: answer_of(partition(seed, fault), tested) != answer_of(REFERENCE, tested)


def _breaks_next(fault: BorderFault) -> Callable[[int, Network], bool]:
    """A failure changes nothing of the executions behind it either."""

    def broken(seed: int, tested: Network) -> bool:
        device, _ = failing_partition(seed, "partial", 0, fault)
        return answer_of(device, tested, runs=2) != answer_of(REFERENCE, tested)

    return broken


def _breaks_fallback(fault: BorderFault) -> Callable[[int, Network], bool]:
    def broken(seed: int, tested: Network) -> bool:
        plain, of_plain = failing_partition(seed, "partial", -1)
        device, of_device = failing_partition(seed, "partial", 0, fault)
        answers = answer_of(plain, tested), answer_of(device, tested)
        return answers[0] != answers[1] or executions(of_device) != executions(of_plain) + 1

    return broken


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in ("none", "token")])
def test_planted_faults_of_borders_break_a_law(name: str) -> None:
    """Within the models that are tested above; that of tokens needs a cache."""
    makes = {"twice": _breaks_fallback, "wrong-device": _breaks_fallback, "locked": _breaks_next}.get(
        name, _breaks_partition
    )
    broken, sound = makes(FAULTS[name]), makes(RIGHT)
    found = next((seed for seed in SEEDS if broken(seed, network(seed))), None)
    assert found is not None
    assert not sound(found, network(found))
