"""The harness of models: seeds are fine for the bundled driver, and drivers that break a rule are found by them."""

import gc
import mmap

import pytest
from msgspec.structs import replace

from nnvet.adapters import INEXPRESSIBLE
from nnvet.conformance.engine.target import Target
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.model.form import FuzzedModel, RequestMemory, decode_model, encode_model, hal_model, model_of_test
from nnvet.fuzz.model.harness import ModelInput
from nnvet.fuzz.model.harness import test_of as model_of
from nnvet.fuzz.target import FuzzedDriver
from nnvet.graphs.builder import counting_loop, sum_of_two
from nnvet.hal.errors import invalid
from nnvet.hal.types import Ashmem, Model, OperandType
from nnvet.hal.validation import validate_model
from nnvet.reference_driver import create

SUM = model_of_test(sum_of_two("sum", [[1.0, 2.0]], [[3.0, 4.0]], [[4.0, 6.0]]))
BUNDLED = ModelInput(FuzzedDriver(create(), Target("reference", in_process=True)))


def with_operand(index: int, **changes: object) -> bytes:
    """The sum with an operand changed."""
    operands = list(SUM.main.operands)
    operands[index] = replace(operands[index], **changes)
    return encode_model(replace(SUM, main=replace(SUM.main, operands=tuple(operands))))


class Credulous(BaseDevice):
    """Takes every model for valid."""

    def check_model(self, model: Model) -> None:
        """All are."""


class Refusing(BaseDevice):
    """Claims every operation and prepares nothing."""

    def supports(self, model: Model, operation: object) -> bool:
        """A promise."""
        return True


class Unsaid(BaseDevice):
    """Stands for a driver behind an adapter that has no words for any model."""

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Nothing reaches the driver."""
        raise invalid("cannot be said", INEXPRESSIBLE)


@pytest.mark.parametrize("model", [SUM, model_of_test(counting_loop(3))])
def test_models_survive_being_bytes(model: FuzzedModel) -> None:
    """A model that was encoded and decoded is the same, and is valid."""
    assert decode_model(encode_model(model)) == model
    with hal_model(model) as built:
        validate_model(built)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        encode_model(SUM),
        encode_model(SUM)[:-1],
        with_operand(0, scale=-1.0),
        with_operand(0, dimensions=(0,)),
    ],
)
def test_the_bundled_driver_keeps_its_promises(data: bytes) -> None:
    """The driver keeps its promises on no model, a valid one, a cut one, invalid ones, one with an open dimension."""
    BUNDLED(data)


def test_what_an_adapter_cannot_say_is_no_finding() -> None:
    """The driver has refused nothing: it has not seen the model. The same error by another rule is the driver's."""
    ModelInput(FuzzedDriver(Unsaid(), Target("reference", in_process=True)))(encode_model(SUM))
    with pytest.raises(FuzzFinding) as caught:
        ModelInput(FuzzedDriver(Refusing(), Target("reference", in_process=True)))(encode_model(SUM))
    assert caught.value.kind is FindingKind.REFUSED


@pytest.mark.sampled(3)
@pytest.mark.parametrize("data", [encode_model(SUM), with_operand(0, scale=-1.0), with_operand(2, scale=0.5)])
def test_an_input_leaves_nothing_to_collect(data: bytes) -> None:
    """Whatever an input makes is gone when it is done, errors and their frames among it: no circles are left."""
    BUNDLED(data)
    gc.collect()
    gc.disable()
    try:
        BUNDLED(data)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_request_is_as_small_as_can_be() -> None:
    """Two inputs and an output of two floats each, 64 bytes apart, in one page: nothing of it is anywhere else."""
    with hal_model(SUM) as built:
        request = RequestMemory().request(built, 1)
    assert request is not None
    places = [argument.location for argument in (*request.inputs, *request.outputs)]
    assert [(place.pool_index, place.offset, place.length) for place in places] == [(0, 0, 8), (0, 64, 8), (0, 128, 8)]
    assert [pool.size for pool in request.pools if isinstance(pool, Ashmem)] == [mmap.PAGESIZE]


def test_an_invalid_model_that_is_accepted_is_a_finding() -> None:
    """It has the rule that the model breaks."""
    with pytest.raises(FuzzFinding) as caught:
        ModelInput(FuzzedDriver(Credulous(), Target("reference", in_process=True)))(with_operand(0, scale=-1.0))
    assert (caught.value.kind, caught.value.rule) == (FindingKind.ACCEPTED, "model/operand.scale")


def test_a_refused_promise_is_a_finding() -> None:
    """A driver that claims all operations of a model that can run has to prepare it."""
    with pytest.raises(FuzzFinding) as caught:
        ModelInput(FuzzedDriver(Refusing(), Target("reference", in_process=True)))(encode_model(SUM))
    assert (caught.value.kind, caught.value.rule) == (FindingKind.REFUSED, "prepare/valid")


def test_valid_inputs_are_tests_that_can_be_reduced() -> None:
    """A valid model has a test with inputs; an invalid one has none."""
    test = model_of(encode_model(SUM))
    assert test is not None
    assert [operand.type for operand in test.main.inputs] == [OperandType.TENSOR_FLOAT32] * 2
    assert all(operand.data is not None and operand.data.size == 2 for operand in test.main.inputs)
    assert model_of(with_operand(0, scale=-1.0)) is None
