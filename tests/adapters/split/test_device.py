"""A device over devices as a client sees it, and its selector."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from nnvet.adapters import SelectorError, create_device, open_driver, prepare
from nnvet.adapters.split.assignment import GivenDevices
from nnvet.adapters.split.device import SplitDevice, parts_of
from nnvet.adapters.split.plan import SplitOptions
from nnvet.adapters.split.prepared import SplitPreparedModel
from nnvet.conformance import check_driver
from nnvet.graphs.hal_model import close_pools, create_pool
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FeatureLevel, OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Buffer, Device, PreparedModel
from nnvet.hal.memory import mapped
from nnvet.hal.types import (
    BufferDesc,
    BufferRole,
    BufferToken,
    DataLocation,
    ExecutionConfig,
    ExecutionResult,
    Model,
    Operand,
    Operation,
    OutputShape,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Subgraph,
)
from nnvet.reference_driver import create
from nnvet.reports.events import Verdict
from tests.adapters.models import add_model, add_pool, add_request
from tests.adapters.split.networks import CountingDevice
from tests.driver.test_extensions import OTHER_PREFIX
from tests.driver.test_extensions import add_model as add_fixed
from tests.driver.test_extensions import run as run_fixed

FLOAT, INT32 = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_INT32
UNKNOWN, FOUR = (0,), (4,)


def padded_sum(first: tuple[int, ...], second: tuple[int, ...], total: tuple[int, ...]) -> Model:
    """CTS's model of dynamic temporaries: the sum of an input padded twice; the first padding is an output, too."""
    operands = (
        Operand(FLOAT, (2,), lifetime=OperandLifeTime.SUBGRAPH_INPUT),
        Operand(INT32, (1, 2), lifetime=OperandLifeTime.SUBGRAPH_INPUT),
        Operand(FLOAT, first, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT),
        Operand(FLOAT, second),
        Operand(FLOAT, total, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT),
        Operand(OperandType.INT32, lifetime=OperandLifeTime.CONSTANT_COPY, location=DataLocation(length=4)),
    )
    operations = (
        Operation(OperationType.PAD, (0, 1), (2,)),
        Operation(OperationType.PAD, (0, 1), (3,)),
        Operation(OperationType.ADD, (2, 3, 5), (4,)),
    )
    return Model(Subgraph(operands, operations, (0, 1), (2, 4)), operand_values=bytes(4))


def sum_request(capacities: tuple[int, int]) -> Request:
    """An input of 3 and 5, one 0 on either side of it, and so many bytes for each of both outputs."""
    values = create_pool(64, [(0, struct.pack("<2f2i", 3, 5, 1, 1))])
    inputs = tuple(RequestArgument(location=DataLocation(0, offset, 8)) for offset in (0, 8))
    outputs = tuple(
        RequestArgument(location=DataLocation(1, 64 * number, capacity)) for number, capacity in enumerate(capacities)
    )
    return Request(inputs, outputs, (values, create_pool(128, ())))


def run(
    device: SplitDevice, model: Model, capacities: tuple[int, int]
) -> tuple[ExecutionResult, list[tuple[float, ...]]]:
    """The result for the request of these capacities, and both outputs."""
    request = sum_request(capacities)
    prepared = prepare(device, model)
    assert isinstance(prepared, SplitPreparedModel)
    try:
        result = prepared.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE)
        with mapped(request.pools[1]) as view:  # type: ignore[arg-type] # memory, no token
            return result, [struct.unpack_from("<4f", view, offset) for offset in (0, 64)]
    finally:
        close_pools(request)


PADS_AND_SUM = SplitOptions(GivenDevices((0, 0, 1)))


@pytest.mark.parametrize(
    "model",
    [
        padded_sum(UNKNOWN, FOUR, UNKNOWN),
        padded_sum(UNKNOWN, UNKNOWN, UNKNOWN),
        padded_sum((), (), ()),
        padded_sum(FOUR, UNKNOWN, FOUR),
        padded_sum(FOUR, FOUR, FOUR),
    ],
)
def test_sizes_that_only_an_execution_tells_cross_borders(model: Model) -> None:
    """CTS's DynamicTemporariesTest, where there is space for the outputs."""
    result, outputs = run(SplitDevice([create(""), create("")], PADS_AND_SUM), model, (16, 16))
    assert result.output_shapes == (OutputShape(FOUR), OutputShape(FOUR))
    assert outputs == [(0, 3, 5, 0), (0, 6, 10, 0)]


@pytest.mark.parametrize("capacities", [(12, 12), (12, 16), (16, 12)])
def test_outputs_without_capacity_are_reported_with_their_shapes(capacities: tuple[int, int]) -> None:
    """All of them, though a later step reads the first one."""
    device = SplitDevice([create(""), create("")], PADS_AND_SUM)
    result, _ = run(device, padded_sum(UNKNOWN, UNKNOWN, UNKNOWN), capacities)
    assert not result.output_sufficient_size
    assert result.output_shapes == tuple(OutputShape(FOUR, capacity == 16) for capacity in capacities)


def test_one_device_for_all_is_asked_directly() -> None:
    """Nothing stands between client and driver, so nothing costs anything."""
    inner = CountingDevice(create(""))
    device = SplitDevice([inner, create("")])
    prepared = prepare(device, add_model())
    assert not isinstance(prepared, SplitPreparedModel)
    assert len(inner.models) == 1


def test_with_a_fallback_one_device_for_all_gets_the_clients_request() -> None:
    """The very object, by which drivers know what they have checked and mapped before."""
    inner = CountingDevice(create(""))
    prepared = prepare(SplitDevice([inner], SplitOptions(fallback="partial")), padded_sum(FOUR, FOUR, FOUR))
    request = sum_request((16, 16))
    try:
        for _ in range(2):
            prepared.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE)
    finally:
        close_pools(request)
    assert [seen is request for seen in inner.requests] == [True, True]


def test_with_a_fallback_outputs_without_capacity_are_reported() -> None:
    """One device for all gets memory of its own for them."""
    inner = CountingDevice(create(""))
    device = SplitDevice([inner], SplitOptions(fallback="partial"))
    result, outputs = run(device, padded_sum(UNKNOWN, UNKNOWN, UNKNOWN), (12, 16))
    assert result.output_shapes == (OutputShape(FOUR, is_sufficient=False), OutputShape(FOUR))
    assert outputs[1] == (0, 6, 10, 0)
    assert len(inner.requests) == 2


def test_a_device_of_an_older_interface_takes_its_part() -> None:
    """It is asked about what it can know of; the whole has the newest level."""
    device = SplitDevice([create("level_1"), create("")], SplitOptions(GivenDevices((0,))))
    assert device.get_feature_level() == FeatureLevel.FL8
    model = padded_sum(FOUR, FOUR, FOUR)
    # PAD is of level 2, ADD of level 1.
    assert device.plan(model).answers.supported == ((False, False, True), (True, True, True))
    _, outputs = run(device, model, (16, 16))
    assert outputs == [(0, 3, 5, 0), (0, 6, 10, 0)]


def test_unknown_device_memory_is_refused() -> None:
    """Nobody has made it."""
    prepared = prepare(SplitDevice([create(""), create("")], PADS_AND_SUM), padded_sum(FOUR, FOUR, FOUR))
    arguments = (RequestArgument(location=DataLocation(0)), RequestArgument(location=DataLocation(0)))
    request = Request(arguments, arguments, (BufferToken(1),))
    with pytest.raises(HalError) as refused:
        prepared.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE)
    assert (refused.value.status, refused.value.rule) == (ErrorStatus.INVALID_ARGUMENT, "buffer/token")


def test_a_step_that_is_refused_is_no_invalid_argument() -> None:
    """The client's model was valid: it would look for the fault in itself."""
    devices = [CountingDevice(create(""), refuses=lambda _: True), create("")]
    with pytest.raises(HalError) as refused:
        prepare(SplitDevice(devices, PADS_AND_SUM), padded_sum(FOUR, FOUR, FOUR))
    assert refused.value.status is ErrorStatus.GENERAL_FAILURE


class FollowingDevice(CountingDevice):
    """Takes sums alone, of what it knows the dimensions of: the model says them, or it sees the operations before."""

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Return True for those."""
        operands, operations = model.main.operands, model.main.operations
        written = {index for operation in operations for index in operation.outputs}
        return tuple(
            operation.type == OperationType.ADD
            and all(index in written or 0 not in operands[index].dimensions for index in operation.inputs)
            for operation in operations
        )


def test_a_device_is_asked_again_about_a_step_whose_border_hides_dimensions() -> None:
    """Another device that takes the operation gets it; without one it stays where it was."""
    open_sum = padded_sum(UNKNOWN, UNKNOWN, UNKNOWN)

    class NeverAdding(CountingDevice):
        def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
            return tuple([operation.type != OperationType.ADD for operation in model.main.operations])

    def devices_of(model: Model, first: Device) -> list[int]:
        device = SplitDevice([first, FollowingDevice(create(""))], PADS_AND_SUM)
        assert device.get_supported_operations(model) == (True, True, True)
        return [step.device for step in device.plan(model).steps(PrepareModelConfig().preference)]

    assert devices_of(padded_sum(FOUR, FOUR, FOUR), create("")) == [0, 1]
    assert devices_of(open_sum, create("")) == [0]
    assert devices_of(open_sum, NeverAdding(create(""))) == [0, 1]


def test_operations_of_extensions_cross_borders() -> None:
    """Each device looks up the prefix that the model has chosen: 40 + 1 + 1, and 2 - 1 - 1, by hand."""
    one = add_fixed(OTHER_PREFIX)
    (first,), (read, constant, between) = one.main.operations, one.main.operands
    operands = (read, constant, replace(between, lifetime=OperandLifeTime.TEMPORARY_VARIABLE), between)
    operations = (first, replace(first, inputs=(2, 1), outputs=(3,)))
    model = replace(one, main=Subgraph(operands, operations, (0,), (3,)))
    devices = [CountingDevice(create()), CountingDevice(create())]
    for device in devices:
        device.extensions = create().extensions
    split = SplitDevice(devices, SplitOptions(GivenDevices((0, 1))))
    assert split.get_supported_operations(model) == (True, True)
    _, output = run_fixed(split, model, struct.pack("<qq", 40, 2))
    assert struct.unpack("<qq", output) == (42, 0)
    assert [len(device.executions) for device in devices] == [1, 1]
    # A name that no device reports is nobody's.
    assert SplitDevice(devices).get_supported_operations(add_fixed(name="nnvet.other")) == (False,)


@pytest.mark.parametrize("name", ["zero_sized_detectors_transform_nhwc", "zero_sized_invalid_max_pool_without_rows"])
def test_a_border_without_elements_leaves_the_model_to_one_device(name: str) -> None:
    """Such a model is computed, or refused if it is invalid, as by one device alone."""
    results = {
        selector: check_driver(selector, only=(f"Generated*/sync/{name}",), timeout_s=120).log.results
        for selector in ("reference", "split:assign=0.1;reference+reference")
    }
    alone, split = ({case: result.verdict for case, result in found.items()} for found in results.values())
    assert alone == split
    assert set(alone.values()) == {Verdict.PASS}


def test_selectors_are_joined_by_plus_signs() -> None:
    """One that no kind follows is part of a selector."""
    assert parts_of("reference+exec:g++/a+zoo:b+reference:quant") == [
        "reference",
        "exec:g++/a",
        "zoo:b",
        "reference:quant",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "arguments are missing"),
        ("+reference", "selector is missing"),
        ("reference+refrence", r"there is no kind 'reference\+refrence'"),
        ("fallback=all;reference+reference", "choose none, whole, partial"),
        ("assign=0.2;reference+reference", "devices from 0 to 1"),
        ("speed=1;reference+reference", "there is no option speed"),
        ("reference+unix:/tmp/socket", "process of its own"),
    ],
)
def test_mistakes_in_a_selector_are_named(arguments: str, said: str) -> None:
    """With what to write instead where there is something."""
    with pytest.raises(SelectorError, match=said):
        create_device(f"split:{arguments}")


@pytest.mark.long
def test_the_selector_makes_the_device() -> None:
    """In a service like any other."""
    with open_driver("split:assign=first,fallback=partial;reference:minimal+reference:quant") as driver:
        assert driver.device.name.startswith("split-")
        assert driver.device.get_supported_operations(add_model()) == (True,)


class MemoryDevice(CountingDevice):
    """The bundled driver, whose allocations are counted."""

    def __init__(self) -> None:
        """Have made no memory."""
        self.bundled = create("")
        super().__init__(self.bundled)
        self.made: list[int] = []

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: object) -> None:
        """Let the bundled driver do it: its memory is for its own prepared models."""
        self.bundled.prepare_model(model, config, callback)  # type: ignore[arg-type]

    def allocate(
        self,
        desc: BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[BufferRole],
        output_roles: Sequence[BufferRole],
    ) -> tuple[Buffer, int]:
        """Have the bundled driver allocate; it gives every device's first memory the same token."""
        buffer, token = self.bundled.allocate(desc, prepared_models, input_roles, output_roles)
        self.made.append(token)
        return buffer, token


def test_memory_is_made_by_the_device_that_has_its_roles() -> None:
    """The input of PAD is on the first device, the sum on the second one; the padding is written and read by both."""
    devices = [MemoryDevice(), MemoryDevice()]
    split = SplitDevice(devices, PADS_AND_SUM)
    prepared = prepare(split, padded_sum(FOUR, FOUR, FOUR))
    role = [BufferRole(0, 0)]
    given, token = split.allocate(BufferDesc(), [prepared], role, ())
    sums, other = split.allocate(BufferDesc(), [prepared], (), [BufferRole(0, 1)])
    assert [device.made for device in devices] == [[1], [1]]
    assert token != other
    with pytest.raises(HalError, match="no device has all the roles"):
        split.allocate(BufferDesc(), [prepared], (), role)
    with pytest.raises(HalError) as refused:
        split.allocate(BufferDesc(), [prepared], [BufferRole(0, 9)], ())
    assert refused.value.rule == "allocate/io_index"
    values = create_pool(64, [(0, struct.pack("<2f2i", 3, 5, 1, 1))])
    given.copy_from(create_pool(8, [(0, struct.pack("<2f", 3, 5))]), ())
    padded = create_pool(16, ())

    def request(first: int, second: int) -> Request:
        inputs = (RequestArgument(location=DataLocation(1)), RequestArgument(location=DataLocation(0, 8, 8)))
        outputs = (RequestArgument(location=DataLocation(2, 0, 16)), RequestArgument(location=DataLocation(3)))
        return Request(inputs, outputs, (values, BufferToken(first), padded, BufferToken(second)))

    prepared.execute_synchronously(request(token, other), ExecutionConfig(), NO_DEADLINE)
    result = create_pool(16, ())
    sums.copy_to(result)
    with mapped(result) as view:
        assert struct.unpack_from("<4f", view) == (0, 6, 10, 0)
    with pytest.raises(HalError, match="of another device") as refused:
        prepared.execute_synchronously(request(other, token), ExecutionConfig(), NO_DEADLINE)
    assert refused.value.status is ErrorStatus.INVALID_ARGUMENT
    del sums
    with pytest.raises(HalError, match="there is no device memory"):
        prepared.execute_synchronously(request(token, other), ExecutionConfig(), NO_DEADLINE)


def test_memory_for_a_model_that_one_device_takes_is_that_devices() -> None:
    """The device gets its own token, and says itself what is wrong with an allocation."""
    first, second = MemoryDevice(), MemoryDevice()
    split = SplitDevice([first, second], PADS_AND_SUM)
    prepared = prepare(split, add_model())
    role = [BufferRole(0, 0)]
    sums, token = split.allocate(BufferDesc(), [prepared], (), role)
    assert (first.made, second.made) == ([token], [])
    result = create_pool(8, ())
    with add_pool(1, 2, 10, 20) as pool:
        output = RequestArgument(location=DataLocation(1))
        request = Request(add_request(pool).inputs, (output,), (pool, BufferToken(token)))
        prepared.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE)
    sums.copy_to(result)
    with mapped(result) as view:
        assert struct.unpack("<2f", view) == (11, 22)
    with pytest.raises(HalError) as refused:
        split.allocate(BufferDesc(), [prepared, None], (), role)  # type: ignore[list-item]
    assert (refused.value.status, refused.value.rule) == (ErrorStatus.INVALID_ARGUMENT, "allocate/model")
    foreign = prepare(SplitDevice([second]), add_model())
    with pytest.raises(HalError) as refused:
        split.allocate(BufferDesc(), [foreign], role, ())
    assert (refused.value.status, refused.value.rule) == (ErrorStatus.INVALID_ARGUMENT, "allocate/model")
    divided = prepare(split, padded_sum(FOUR, FOUR, FOUR))
    with pytest.raises(HalError, match="only some are divided"):
        split.allocate(BufferDesc(), [prepared, divided], [BufferRole(0, 0), BufferRole(1, 0)], ())
