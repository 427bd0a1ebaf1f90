"""Models, requests and configurations between levels; what has to be lost is read off HAL contract 4, 5, 8 and 10."""

import pytest
from msgspec.structs import replace

from nnvet.hal.conversion import (
    FIELD_LEVELS,
    Loss,
    convert_config,
    convert_model,
    convert_request,
    with_consumers,
    without_consumers,
)
from nnvet.hal.errors import HalError
from nnvet.hal.memory import Ashmem, Handle, HardwareBuffer
from nnvet.hal.types import (
    BufferToken,
    DataLocation,
    ExecutionConfig,
    ExtensionNameAndPrefix,
    FeatureLevel,
    MappableFile,
    Model,
    OperandType,
    OperationType,
    PrepareModelConfig,
    Priority,
    Request,
    RequestArgument,
    SymmPerChannelQuantParams,
    TokenValuePair,
)
from nnvet.hal.validation import validate_model
from tests.hal.level_models import branching, chain, in_hardware_buffer

RELU, ABS, HARD_SWISH, ADD = OperationType.RELU, OperationType.ABS, OperationType.HARD_SWISH, OperationType.ADD
LEVELS = tuple(FeatureLevel)


def consumers(model: Model) -> list[list[int | None]]:
    """Numbers of consumers, by subgraph."""
    return [[one.number_of_consumers for one in graph.operands] for graph in (model.main, *model.referenced)]


def broken(losses: tuple[Loss, ...]) -> list[str]:
    """Where something breaks."""
    return [loss.where for loss in losses if loss.breaks]


def left_out(losses: tuple[Loss, ...]) -> list[str]:
    """Where something is left out."""
    return [loss.where for loss in losses if not loss.breaks]


def test_hidl_counts_consumers_and_aidl_does_not(add_model: Model) -> None:
    """Inputs, constants and activation of the ADD are read once, its output never; only HIDL has the number."""
    for level in LEVELS:
        model, losses = convert_model(add_model, level)
        assert consumers(model) == [[1, 1, 1, 0] if level <= 4 else [None] * 4]
        assert losses == ()
        validate_model(model, level)


def test_consumers_are_counted_by_subgraph() -> None:
    """An operand that an operation lists twice has two consumers; what other subgraphs read does not count."""
    model = branching(RELU, RELU)
    assert consumers(with_consumers(model)) == [[1, 1, 1, 1, 1, 0], [1, 0], [1, 0]]
    main = model.main
    twice = replace(main, operations=(*main.operations, replace(main.operations[1], inputs=(0, 1, 1, 4), outputs=())))
    assert consumers(with_consumers(replace(model, main=twice)))[0] == [2, 3, 1, 1, 2, 0]


def test_consumers_come_and_go(add_model: Model) -> None:
    """Counting and forgetting changes nothing else."""
    assert without_consumers(with_consumers(add_model)) == add_model


def test_relaxed_flag_is_lost_at_level_one(add_model: Model) -> None:
    """Version 1.0 has no relaxed computation: the flag is left out, and nothing breaks."""
    relaxed = replace(add_model, relax_computation_float32_to_float16=True)
    model, losses = convert_model(relaxed, 1)
    assert not model.relax_computation_float32_to_float16
    reason = "feature level 1 has no relax_computation_float32_to_float16; it is left out"
    assert losses == (Loss("model", reason, breaks=False),)
    assert str(losses[0]) == f"model: {reason}"
    assert convert_model(relaxed, 2)[1] == ()


def test_what_a_level_lacks_is_told_in_place() -> None:
    """The converter goes on after the first operation that does not fit, and keeps them all."""
    source = chain(RELU, ABS, HARD_SWISH)
    model, losses = convert_model(source, 3)
    assert losses == (
        Loss("main subgraph, operation 2", "HARD_SWISH with these operands needs feature level 4", breaks=True),
    )
    assert model.main.operations == source.main.operations
    assert broken(convert_model(source, 1)[1]) == ["main subgraph, operation 1", "main subgraph, operation 2"]


def test_what_aidl_lacks_is_told_too() -> None:
    """An OEM operation breaks from level 5 on, an OEM operand on its own account."""
    losses = convert_model(chain(OperationType.OEM_OPERATION, operand_type=OperandType.TENSOR_OEM_BYTE), 5)[1]
    assert broken(losses) == [f"main subgraph, {one}" for one in ("operand 0", "operand 1", "operation 0")]
    assert losses[0].what == "TENSOR_OEM_BYTE [2] (SUBGRAPH_INPUT) does not exist above feature level 4"


def test_subgraphs_are_lost_below_level_four() -> None:
    """Without subgraphs the operands that name them, the IF and its condition's type break; the rest stays."""
    model, losses = convert_model(branching(RELU, RELU), 2)
    assert model.referenced == ()
    assert left_out(losses) == ["model"]
    assert broken(losses) == [f"main subgraph, {one}" for one in ("operand 0", "operand 1", "operand 2", "operation 1")]


def test_parts_of_subgraphs_are_told_by_their_place() -> None:
    """An OEM operation in the second branch is found there."""
    assert broken(convert_model(branching(RELU, OperationType.OEM_OPERATION), 5)[1]) == ["subgraph 1, operation 0"]


def test_constants_in_hardware_buffers_break_below_level_three(add_model: Model) -> None:
    """The operand is told of, since it is what lies in the buffer."""
    losses = convert_model(in_hardware_buffer(add_model), 2)[1]
    assert losses == (
        Loss("main subgraph, operand 1", "TENSOR_FLOAT32 [2] (CONSTANT_REFERENCE) needs feature level 3", breaks=True),
    )


def test_extra_parameters_are_lost_below_level_three() -> None:
    """Version 1.1 has neither the type nor the field."""
    model = chain(OperationType.OEM_OPERATION, operand_type=OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL)
    scales = SymmPerChannelQuantParams((0.5, 0.25), 0)
    operands = tuple(replace(operand, extra_params=scales) for operand in model.main.operands)
    converted, losses = convert_model(replace(model, main=replace(model.main, operands=operands)), 2)
    assert [operand.extra_params for operand in converted.main.operands] == [None, None]
    places = ["main subgraph, operand 0", "main subgraph, operand 1"]
    assert (broken(losses), left_out(losses)) == (places, places)


def test_extensions_are_lost_below_level_three() -> None:
    """The names are left out, the operation breaks."""
    model = replace(chain(0x10000), extension_name_to_prefix=(ExtensionNameAndPrefix("com.example", 1),))
    converted, losses = convert_model(model, 2)
    assert converted.extension_name_to_prefix == ()
    assert (broken(losses), left_out(losses)) == (["main subgraph, operation 0"], ["model"])
    assert convert_model(model, 3)[1] == ()


def test_invalid_models_are_refused() -> None:
    """What is valid nowhere cannot be converted."""
    with pytest.raises(HalError, match=r"model/operations\.empty"):
        convert_model(replace(chain(RELU), main=replace(chain(RELU).main, operations=())), 1)


@pytest.mark.parametrize(
    "source", [chain(RELU, ABS, HARD_SWISH), branching(ABS, HARD_SWISH), chain(OperationType.OEM_OPERATION)]
)
@pytest.mark.parametrize("level", LEVELS)
def test_what_does_not_break_is_valid(source: Model, level: FeatureLevel) -> None:
    """A conversion without broken parts is valid at its level, and converting it again changes and loses nothing."""
    model, losses = convert_model(source, level)
    if not broken(losses):
        validate_model(model, level)
        assert convert_model(model, level) == (model, ())


def request(*, padding: int = 0, dimensions: tuple[int, ...] = ()) -> Request:
    """A request for ``chain(RELU)``: 8 bytes in, 8 bytes out, of one pool."""
    return Request(
        (RequestArgument(location=DataLocation(length=8, padding=padding)),),
        (RequestArgument(location=DataLocation(offset=64, length=8), dimensions=dimensions),),
        (Ashmem(Handle(0), 128),),
    )


def test_padding_is_lost_in_hidl() -> None:
    """HIDL has no padding: it is left out, and the data stay where they are."""
    converted, losses = convert_request(request(padding=56), chain(RELU), 4)
    assert converted == request()
    assert losses == (Loss("input 0", "feature level 4 has no padding; it is left out", breaks=False),)
    assert convert_request(request(padding=56), chain(RELU), 5) == (request(padding=56), ())


@pytest.mark.parametrize(
    ("pool", "first", "name"),
    [(BufferToken(1), 4, "device memory"), (HardwareBuffer(Handle(0), 8), 3, "a hardware buffer")],
)
def test_kinds_of_memory(pool: BufferToken | HardwareBuffer, first: int, name: str) -> None:
    """Tokens need level 4, hardware buffers level 3, wherever in the list they are."""
    source = request()
    source = replace(source, pools=(*source.pools, pool))
    assert convert_request(source, chain(RELU), first) == (source, ())
    losses = convert_request(source, chain(RELU), first - 1)[1]
    assert losses == (Loss("request", f"pool 1, {name}, needs feature level {first}", breaks=True),)


def test_outputs_of_unknown_size() -> None:
    """Below level 3 model and request together have to say how large an output is."""
    model = chain(RELU, dimensions=(0,))
    known = replace(request().inputs[0], dimensions=(2,))
    unknown = replace(request(), inputs=(known,))
    what = "output 0, of dimensions [0], needs feature level 3"
    assert convert_request(unknown, model, 2)[1] == (Loss("request", what, breaks=True),)
    assert convert_request(unknown, model, 3)[1] == ()
    assert convert_request(replace(request(dimensions=(2,)), inputs=(known,)), model, 1)[1] == ()


def test_unsigned_dimensions_end_with_hidl() -> None:
    """AIDL's dimensions are signed."""
    model = chain(RELU, dimensions=(0, 0))
    source = replace(request(), inputs=(replace(request().inputs[0], dimensions=(1, 2**31)),))
    assert broken(convert_request(source, model, 4)[1]) == []
    (loss,) = convert_request(source, model, 5)[1]
    assert loss == Loss(
        "request", "input 0, of dimensions [1, 2147483648], does not exist above feature level 4", breaks=True
    )


FULL = PrepareModelConfig(
    preference=0,
    priority=Priority.HIGH,
    deadline_ns=5,
    model_cache=(MappableFile(Handle(0), 1),),
    data_cache=(MappableFile(Handle(0), 1),),
    cache_token=bytes(range(32)),
    compilation_hints=(TokenValuePair(0x10000, b"x"),),
    extension_name_to_prefix=(ExtensionNameAndPrefix("com.example", 1),),
)


@pytest.mark.parametrize(
    ("level", "kept"),
    [
        (1, set()),
        (2, {"preference"}),
        (3, {"preference", "model_cache", "data_cache", "cache_token"}),
        (4, {"preference", "model_cache", "data_cache", "cache_token", "priority", "deadline_ns"}),
        (7, {"preference", "model_cache", "data_cache", "cache_token", "priority", "deadline_ns"}),
        (8, set(FULL.__struct_fields__)),
    ],
)
def test_what_a_preparation_can_be_told(level: int, kept: set[str]) -> None:
    """Arguments of prepareModel by version (HAL contract 10.1); hints are dropped below FL8. The rest are defaults."""
    converted, losses = convert_config(FULL, level)
    plain = PrepareModelConfig()
    for field in FULL.__struct_fields__:
        assert getattr(converted, field) == getattr(FULL if field in kept else plain, field)
    assert len(losses) == len(FULL.__struct_fields__) - len(kept)
    assert not broken(losses)


@pytest.mark.parametrize(
    ("level", "kept"),
    [
        (1, ExecutionConfig()),
        (3, ExecutionConfig(measure_timing=True)),
        (4, ExecutionConfig(measure_timing=True, loop_timeout_duration_ns=9)),
        (8, ExecutionConfig(measure_timing=True, loop_timeout_duration_ns=9)),
    ],
)
def test_what_an_execution_can_be_told(level: int, kept: ExecutionConfig) -> None:
    """Measuring came with 1.2, the timeout of loops with 1.3."""
    converted, losses = convert_config(ExecutionConfig(measure_timing=True, loop_timeout_duration_ns=9), level)
    assert converted == kept
    lost = (not kept.measure_timing) + (kept.loop_timeout_duration_ns == -1)
    assert [loss.where for loss in losses] == ["ExecutionConfig"] * lost


def test_defaults_are_no_loss() -> None:
    """What says nothing loses nothing at any level."""
    for level in LEVELS:
        assert convert_config(PrepareModelConfig(), level) == (PrepareModelConfig(), ())


def test_fields_exist() -> None:
    """Every field of the table is one of its structure."""
    for structure, fields in FIELD_LEVELS.items():
        assert set(fields) <= set(structure.__struct_fields__)
