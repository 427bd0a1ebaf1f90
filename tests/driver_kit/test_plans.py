"""Support answered for a whole model, what was found out handed to the compilation, and checks left to the driver."""

import gc
import threading
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from nnvet.adapters import open_device
from nnvet.adapters.calls import ExecutionRecorder, PreparedModelRecorder, prepare
from nnvet.conformance import check_driver
from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.errors import HalError, invalid
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import (
    NO_DEADLINE,
    DataLocation,
    ErrorStatus,
    ExecutionConfig,
    Model,
    Operation,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Timing,
)
from tests.adapters.models import add_model, add_pool, add_request, result_of
from tests.transport.wire_sessions import session_with

PATIENCE_S = 30.0
EXAMPLE = Path(__file__).parent.parent.parent / "docs" / "examples" / "planning_driver.py"
INVALID = Model(add_model().main)
"""Its constant lies outside of the operand values."""


class Sum(BasePreparedModel):
    """Adds what was planned."""

    def __init__(self, model: Model, offset: float) -> None:
        """Keep the offset."""
        super().__init__(model)
        self.offset = offset

    def compute(self, inputs: Sequence[Any]) -> Sequence[Array]:
        """The sum of inputs and offset."""
        return [inputs[0] + inputs[1] + self.offset]


class Numbered:
    """A plan that knows which one it is, and whether it was asked for its answers."""

    def __init__(self, model: Model, number: int, device: "Planning") -> None:
        """Plan."""
        self.model, self.number, self.device = model, number, device
        self.asked = 0

    @property
    def supported(self) -> Sequence[bool]:
        """As the device says."""
        self.asked += 1
        return [self.device.claims] * len(self.model.main.operations)

    def compile(self, config: PrepareModelConfig) -> PreparedModel:
        """A model that adds the number of the plan."""
        self.device.compiled.append((self.number, self.asked, config))
        self.device.while_compiling()
        return Sum(self.model, self.number)


class Planning(BaseDevice):
    """Numbers its plans."""

    claims = True

    def __init__(self, while_compiling: Callable[[], object] = lambda: None) -> None:
        """Begin with 1."""
        self.plans: list[weakref.ref[Numbered]] = []
        self.compiled: list[tuple[int, int, PrepareModelConfig]] = []
        self.while_compiling = while_compiling
        self._lock = threading.Lock()

    def plan(self, model: Model) -> Numbered:
        """The next one."""
        with self._lock:
            plan = Numbered(model, len(self.plans) + 1, self)
            self.plans.append(weakref.ref(plan))
        return plan


def here(device: BaseDevice, check: Callable[[Device], None]) -> None:
    """Check a device as it is."""
    check(device)


def behind_the_wire(device: BaseDevice, check: Callable[[Device], None]) -> None:
    """Check a device that gets a copy of the model with each call."""
    with session_with(device) as session:
        check(session.device)


everywhere = pytest.mark.parametrize("place", [here, behind_the_wire])


def sum_with(prepared: PreparedModel) -> tuple[float, ...]:
    """1, 2 plus 3, 4."""
    with add_pool(1, 2, 3, 4) as pool:
        prepared.execute_synchronously(add_request(pool), ExecutionConfig(), NO_DEADLINE)
        return result_of(pool)


def refusal(device: Device, model: Model, config: PrepareModelConfig | None = None) -> tuple[Any, Any]:
    """Return the error that a preparation raises and the one that it notifies."""
    callback = PreparedModelRecorder()
    raised = None
    try:
        device.prepare_model(model, config or PrepareModelConfig(), callback)
    except HalError as error:
        raised = error.status
    assert callback.wait(PATIENCE_S)
    ((notified, prepared),) = callback.notifications
    assert prepared is None
    return raised, notified


class Borrowing(Planning):
    """Passes on what another device answers, and would add 10 to its own sums."""

    def __init__(self) -> None:
        """Ask a device that numbers its plans from 1."""
        super().__init__()
        self.other = Planning()

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """The other's answer, as it is."""
        return self.other.get_supported_operations(model)

    def plan(self, model: Model) -> Numbered:
        """One of its own."""
        return Numbered(model, 10, self)


@everywhere
def test_an_answer_of_another_device_is_no_plan_of_this_one(place: Any) -> None:
    """A wrapper that asks another driver compiles itself: a PASS must not come from the one that was asked."""
    device = Borrowing()

    def check(proxy: Device) -> None:
        assert sum_with(prepare(proxy, add_model())) == (14.0, 16.0)
        assert (len(device.compiled), device.other.compiled) == (1, [])

    place(device, check)


@everywhere
def test_a_preparation_compiles_the_plan_that_it_was_answered_by(place: Any) -> None:
    """A preparation by itself makes one plan; so does a question before it, which is about another copy."""
    device = Planning()

    def check(proxy: Device) -> None:
        assert sum_with(prepare(proxy, add_model())) == (5.0, 7.0)
        assert device.compiled == [(1, 1, PrepareModelConfig())]
        assert proxy.get_supported_operations(add_model()) == (True,)
        assert sum_with(prepare(proxy, add_model(), PrepareModelConfig(preference=2))) == (7.0, 9.0)
        assert device.compiled[1:] == [(3, 1, PrepareModelConfig(preference=2))]
        assert len(device.plans) == 3

    place(device, check)


@everywhere
def test_plans_are_forgotten(place: Any) -> None:
    """Nobody keeps a plan behind the answer or the prepared model."""
    device = Planning()

    def check(proxy: Device) -> None:
        for _ in range(3):
            proxy.get_supported_operations(add_model())
            prepared = prepare(proxy, add_model())
        # Of what a lane did last it forgets the arguments when the next call comes.
        proxy.get_type()
        gc.collect()
        assert [plan() for plan in device.plans] == [None] * 6
        assert sum_with(prepared) == (10.0, 12.0)

    place(device, check)


@everywhere
def test_preparations_at_the_same_time_have_plans_of_their_own(place: Any) -> None:
    """Both compile at once, each what was planned for its own model."""
    together = threading.Barrier(2)
    device = Planning(lambda: together.wait(PATIENCE_S))

    def check(proxy: Device) -> None:
        results: list[tuple[float, ...]] = []
        threads = [
            threading.Thread(target=lambda: results.append(sum_with(prepare(proxy, add_model())))) for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert sorted(results) == [(5.0, 7.0), (6.0, 8.0)]

    place(device, check)


@everywhere
def test_what_is_not_supported_is_not_compiled(place: Any) -> None:
    """The answer is INVALID_ARGUMENT, as the contract wants it."""
    device = Planning()
    device.claims = False

    def check(proxy: Device) -> None:
        assert proxy.get_supported_operations(add_model()) == (False,)
        assert refusal(proxy, add_model()) == (None, ErrorStatus.INVALID_ARGUMENT)
        assert not device.compiled

    place(device, check)


class Separate(BaseDevice):
    """Looks at each operation, and remembers the models that it sees."""

    def __init__(self) -> None:
        """Has seen none."""
        self.seen: list[Model] = []

    def supports(self, model: Model, operation: Operation) -> bool:
        """Yes."""
        del operation
        self.seen.append(model)
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """Add nothing."""
        del config
        self.seen.append(model)
        return Sum(model, 0)


@everywhere
def test_supports_and_compile_see_the_same_model(place: Any) -> None:
    """A driver without a plan of its own gets the very object twice, and is asked once for each operation."""
    device = Separate()

    def check(proxy: Device) -> None:
        assert sum_with(prepare(proxy, add_model())) == (4.0, 6.0)
        first, second = device.seen
        assert first is second

    place(device, check)


def test_answers_of_a_subclass_decide() -> None:
    """A subclass's answer to getSupportedOperations holds for preparations; a plan for the model is made then."""

    class Other(Planning):
        answer: tuple[bool, ...] = (True,)

        def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
            super().get_supported_operations(replace(model, relax_computation_float32_to_float16=True))
            return self.answer

    class Delegating(Planning):
        def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
            return super().get_supported_operations(replace(model, relax_computation_float32_to_float16=True))

    other = Other()
    assert sum_with(prepare(other, add_model())) == (6.0, 8.0)
    other.answer = (False,)
    assert refusal(other, add_model()) == (None, ErrorStatus.INVALID_ARGUMENT)
    delegating = Delegating()
    prepared = prepare(delegating, add_model())
    assert isinstance(prepared, Sum)
    assert not prepared.model.relax_computation_float32_to_float16


class Refusing(Planning):
    """Checks models in its own words, when it plans."""

    def check_model(self, model: Model) -> None:
        """Leave it to the plan."""

    def plan(self, model: Model) -> Numbered:
        """Refuse a constant outside of the values."""
        if not model.operand_values:
            raise invalid("where is the constant?", "model/operand.location.pool")
        return super().plan(model)


@everywhere
def test_a_driver_validates_models_itself(place: Any) -> None:
    """An error from the driver's own validation is the answer of both methods, raised and notified."""

    def check(proxy: Device) -> None:
        with pytest.raises(HalError, match="where is the constant"):
            proxy.get_supported_operations(INVALID)
        assert refusal(proxy, INVALID) == (ErrorStatus.INVALID_ARGUMENT, ErrorStatus.INVALID_ARGUMENT)
        assert sum_with(prepare(proxy, add_model())) == (5.0, 7.0)

    place(Refusing(), check)


def test_without_its_check_an_invalid_model_reaches_the_driver() -> None:
    """Nobody else looks at the model before it is planned."""

    class Unchecked(Planning):
        def check_model(self, model: Model) -> None:
            """Nothing is wrong."""

    with pytest.raises(HalError):
        Planning().get_supported_operations(INVALID)
    assert Unchecked().get_supported_operations(INVALID) == (True,)


@everywhere
def test_a_driver_validates_configurations_itself(place: Any) -> None:
    """Its own check may refuse more and less than the usual one."""

    class Choosy(Planning):
        def check_config(self, config: PrepareModelConfig) -> None:
            if config.preference == 1:
                raise invalid("not that one", "prepare/preference")

    device = Choosy()

    def check(proxy: Device) -> None:
        status = ErrorStatus.INVALID_ARGUMENT
        assert refusal(proxy, add_model(), PrepareModelConfig(preference=1)) == (status, status)
        prepare(proxy, add_model(), PrepareModelConfig(preference=77))
        assert device.compiled == [(1, 1, PrepareModelConfig(preference=77))]

    place(device, check)


class Lenient(Sum):
    """Looks at the number of inputs alone."""

    def check_request(self, request: Request, *, unspecified_outputs: bool) -> None:
        """Refuse a number other than two; remember what else was asked."""
        self.unspecified = unspecified_outputs
        if len(request.inputs) != 2:
            raise invalid("two, please", "request/inputs.count")


def test_a_driver_validates_requests_itself() -> None:
    """A request that the driver's own check refuses fails; an output that only the usual check refuses passes."""
    model = Lenient(add_model(), 0)
    with add_pool(1, 2, 3, 4) as pool:
        request = add_request(pool)
        output = RequestArgument(location=DataLocation(0, 12, 12))
        longer = replace(request, outputs=(output,))
        with pytest.raises(HalError) as refused:
            Sum(add_model(), 0).execute_synchronously(longer, ExecutionConfig(), NO_DEADLINE)
        assert refused.value.rule == "request/length"
        assert model.execute_synchronously(longer, ExecutionConfig(), NO_DEADLINE).output_sufficient_size
        assert model.unspecified
        model.execute_fenced(request, (), ExecutionConfig(), NO_DEADLINE, NO_DEADLINE)
        assert not model.unspecified
        callback = ExecutionRecorder()
        with pytest.raises(HalError, match="two, please"):
            model.execute(replace(request, inputs=()), ExecutionConfig(), NO_DEADLINE, callback)
        assert callback.notifications == [(ErrorStatus.INVALID_ARGUMENT, (), Timing())]


@pytest.mark.long
def test_the_example_of_a_plan_is_conformant() -> None:
    """It computes what the page's first driver computes, and the page shows a part of it."""
    source = EXAMPLE.read_text(encoding="utf-8")
    page = (EXAMPLE.parent.parent / "writing-a-driver.md").read_text(encoding="utf-8")
    (shown,) = (block for block in page.split("```python\n") if block.startswith("class AddPlan"))
    assert shown.split("```")[0] in source
    only = ("BasicTest/*", "MemoryTypeTest/*", "GeneratedTest/sync/add_*")
    found = check_driver(f"python:{EXAMPLE}:PlanningDevice", only=only)
    assert found.faultless, found


class OfABoard:
    """The plan of a board that takes sums of two numbers, and says so."""

    def __init__(self, model: Model) -> None:
        """Look at the first operand."""
        self.model = model
        self.supported = (model.main.operands[0].dimensions == (2,),)
        self.refusal = "" if all(self.supported) else "the board takes 0 of 1 nodes"

    def compile(self, config: PrepareModelConfig) -> PreparedModel:
        """A sum that the board computes."""
        del config
        return ByTheBoard(self.model, 0.0)


class ByTheBoard(Sum):
    """Names who computes it."""

    computed_by = "the board"


class Board(BaseDevice):
    """Stands for an accelerator."""

    def plan(self, model: Model) -> OfABoard:
        """Ask the board."""
        return OfABoard(model)


def test_clients_hear_who_computes_and_why_not() -> None:
    """By the words of notifications; each use of a prepared model names its computer to the case that uses it."""
    with open_device(Board, "board") as driver:
        prepared = prepare(driver.device, add_model())
        assert driver.unintended.computed_by == {"the board"}
        with pytest.raises(HalError, match="the board takes 0 of 1 nodes") as raised:
            prepare(driver.device, add_model((3,)))
        assert (raised.value.status, raised.value.rule) == (ErrorStatus.INVALID_ARGUMENT, "driver/operation.supported")
        driver.forget()
        assert driver.unintended.computed_by == set()
        with add_pool(1, 2, 3, 4) as pool:
            prepared.execute_synchronously(add_request(pool), ExecutionConfig(), NO_DEADLINE)
            assert result_of(pool) == (4, 6)
        assert driver.unintended.computed_by == {"the board"}
