"""Models and requests that the C API cannot express: no part is passed on, whatever other errors they have."""

import os
import random
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest
from msgspec.structs import replace

from nnvet.adapters import INEXPRESSIBLE
from nnvet.adapters.nnapi.compilation import BuiltModel
from nnvet.adapters.nnapi.device_memory import check_memory
from nnvet.adapters.nnapi.inexpressible import Unsaid, check_config, check_model, check_request, has_open_control_flow
from nnvet.fuzz.model.form import decode_model, encode_model, hal_model, model_of_test
from nnvet.fuzz.model.mutating import mutate_model
from nnvet.graphs.builder import counting_loop
from nnvet.graphs.hal_model import build_model
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.memory import create_ashmem
from nnvet.hal.rules import all_rules
from nnvet.hal.types import (
    Ashmem,
    BufferToken,
    DataLocation,
    ExecutionConfig,
    ExtensionNameAndPrefix,
    Handle,
    HardwareBuffer,
    MappableFile,
    Model,
    Operand,
    Operation,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Subgraph,
    SymmPerChannelQuantParams,
    TokenValuePair,
)
from nnvet.hal.validation import broken_rules, validate_model
from tests.adapters.models import PAIR_BYTES, add_model, add_pool, add_request

SUM = add_model()
KINDS = OperandLifeTime
OF_EXTENSION = 0x7_0001


class Untouched:
    """A library that nothing may be asked of."""

    def __getattr__(self, name: str) -> NoReturn:
        """Fail, whatever is called."""
        raise AssertionError(f"the library is asked for {name}")


def with_operand(index: int, model: Model = SUM, **changes: Any) -> Model:
    """A model with another operand."""
    operands = list(model.main.operands)
    operands[index] = replace(operands[index], **changes)
    return replace(model, main=replace(model.main, operands=tuple(operands)))


def with_main(model: Model = SUM, **changes: Any) -> Model:
    """A model with another main subgraph."""
    return replace(model, main=replace(model.main, **changes))


def two_sums() -> Model:
    """A model whose first operation reads what the second one writes."""
    tensor = OperandType.TENSOR_FLOAT32
    between = Operand(tensor, (2,), lifetime=KINDS.TEMPORARY_VARIABLE)
    add = OperationType.ADD
    operations = (Operation(add, (4, 1, 2), (3,)), Operation(add, (0, 1, 2), (4,)))
    return with_main(operands=(*SUM.main.operands, between), operations=operations)


def loop() -> Model:
    """A valid WHILE."""
    return build_model(counting_loop(3))


def open_loop() -> Model:
    """A WHILE on operands of unknown size, inside and outside."""
    model = loop()

    def is_open(operand: Operand) -> bool:
        return operand.type == OperandType.TENSOR_FLOAT32 and operand.lifetime != KINDS.CONSTANT_COPY

    def opened(graph: Subgraph) -> Subgraph:
        operands = (replace(operand, dimensions=()) if is_open(operand) else operand for operand in graph.operands)
        return replace(graph, operands=tuple(operands))

    return replace(model, main=opened(model.main), referenced=tuple(map(opened, model.referenced)))


def branches(dimensions: tuple[int, ...]) -> Model:
    """An IF on one float operand of these dimensions."""
    chosen = [Operand(OperandType.SUBGRAPH, lifetime=KINDS.SUBGRAPH, location=DataLocation()) for _ in range(2)]
    condition = Operand(OperandType.TENSOR_BOOL8, (1,), lifetime=KINDS.SUBGRAPH_INPUT)
    given, result = (
        Operand(OperandType.TENSOR_FLOAT32, dimensions, lifetime=kind)
        for kind in (KINDS.SUBGRAPH_INPUT, KINDS.SUBGRAPH_OUTPUT)
    )
    main = Subgraph(
        (condition, *chosen, given, result), (Operation(OperationType.IF, (0, 1, 2, 3), (4,)),), (0, 3), (4,)
    )
    inner = Subgraph((given, result), (Operation(OperationType.FLOOR, (0,), (1,)),), (0,), (1,))
    return Model(main, (inner,))


def with_extension(name: str, prefix: int = 7) -> Model:
    """The sum with a name of an extension."""
    return replace(SUM, extension_name_to_prefix=(ExtensionNameAndPrefix(name, prefix),))


MODELS: dict[str, tuple[Unsaid, Callable[[], Model]]] = {
    "no inputs": (Unsaid.INPUTS, lambda: with_main(input_indexes=())),
    "unknown lifetime": (Unsaid.LIFETIMES, lambda: with_operand(0, lifetime=99)),
    "lists and lifetimes": (Unsaid.LIFETIMES, lambda: with_main(input_indexes=(0,))),
    "consumers": (Unsaid.CONSUMERS, lambda: with_operand(0, number_of_consumers=3)),
    "constant behind the values": (Unsaid.CONSTANTS, lambda: replace(SUM, operand_values=b"")),
    "constant before the values": (Unsaid.CONSTANTS, lambda: with_operand(2, location=DataLocation(0, -4096, 4))),
    "constant far away": (Unsaid.CONSTANTS, lambda: with_operand(2, location=DataLocation(0, 2**40, 4))),
    "place of an input": (Unsaid.CONSTANTS, lambda: with_operand(0, location=DataLocation(0, 0, 4))),
    "padding": (Unsaid.CONSTANTS, lambda: with_operand(2, location=DataLocation(0, 0, 4, 4))),
    "constant without bytes": (
        Unsaid.EMPTY,
        lambda: with_main(
            operands=(*SUM.main.operands, Operand(OperandType.OEM, lifetime=KINDS.CONSTANT_COPY)),
        ),
    ),
    "large": (
        Unsaid.LARGE,
        lambda: with_main(
            operands=(
                *SUM.main.operands,
                Operand(OperandType.TENSOR_OEM_BYTE, (2**16, 2**16), lifetime=KINDS.NO_VALUE),
            ),
        ),
    ),
    "parameters of an OEM type": (
        Unsaid.OEM,
        lambda: with_main(
            operands=(
                *SUM.main.operands,
                Operand(
                    OperandType.TENSOR_OEM_BYTE,
                    (2,),
                    lifetime=KINDS.NO_VALUE,
                    extra_params=SymmPerChannelQuantParams((0.5, 0.5), 0),
                ),
            ),
        ),
    ),
    "order": (Unsaid.ORDER, two_sums),
    "no such subgraph": (
        Unsaid.SUBGRAPHS,
        lambda: with_operand(
            0, type=OperandType.SUBGRAPH, dimensions=(), lifetime=KINDS.SUBGRAPH, location=DataLocation(offset=9)
        ),
    ),
    "subgraph of itself": (Unsaid.SUBGRAPHS, lambda: replace(branches((2,)), referenced=(branches((2,)).main,))),
    "open loop": (Unsaid.LOOPS, open_loop),
    "extension name": (Unsaid.NAMES, lambda: with_extension("No Name")),
    "extension twice": (
        Unsaid.NAMES,
        lambda: replace(SUM, extension_name_to_prefix=(ExtensionNameAndPrefix("a.b", 1),) * 2),
    ),
    "nameless type": (Unsaid.NAMELESS, lambda: with_operand(0, type=OF_EXTENSION)),
    "nameless operation": (
        Unsaid.NAMELESS,
        lambda: with_main(operations=(Operation(OF_EXTENSION, (0, 1, 2), (3,)),)),
    ),
    "no descriptor": (Unsaid.MEMORY, lambda: replace(SUM, pools=(Ashmem(Handle(-1), 4),))),
    "no such pool": (
        Unsaid.OBJECTS,
        lambda: with_operand(2, lifetime=KINDS.CONSTANT_REFERENCE, location=DataLocation(3, 0, 4)),
    ),
    "zero point": (Unsaid.NUMBERS, lambda: with_operand(0, zero_point=2**31)),
    "dimension": (Unsaid.NUMBERS, lambda: with_operand(0, dimensions=(-1,))),
    "negative operand": (Unsaid.NUMBERS, lambda: with_main(operations=(Operation(0, (0, 1, -2), (3,)),))),
}


@pytest.mark.parametrize("first", [False, True], ids=["alone", "behind another broken rule"])
@pytest.mark.parametrize("what", MODELS)
def test_nothing_of_a_model_that_cannot_be_said_is_passed_on(what: str, first: bool) -> None:
    """Also if another rule is broken that is looked at before: a scale of an operand in the first place."""
    unsaid, make = MODELS[what]
    model = make()
    if first:
        place = DataLocation()
        wrong = Operand(OperandType.TENSOR_FLOAT32, (2,), 0.5, lifetime=KINDS.NO_VALUE, location=place)
        model = with_main(model, operands=(*model.main.operands, wrong))
    with pytest.raises(HalError) as refused:
        BuiltModel(Untouched(), model)  # type: ignore[arg-type]
    assert refused.value.rule == INEXPRESSIBLE
    assert refused.value.message.endswith(unsaid.why)


def test_what_can_be_said_is_for_the_library_to_refuse() -> None:
    """A circle has no order at all, an index may be any number, a scale is a float: a library sees all of these."""
    assert check_model(SUM)
    add = OperationType.ADD
    circle = with_main(two_sums(), operations=(Operation(add, (4, 1, 2), (3,)), Operation(add, (3, 1, 2), (4,))))
    for wrong in (
        circle,
        with_operand(0, scale=0.5),
        with_main(operations=(Operation(add, (0, 1, 99), (3,)),)),
        with_main(output_indexes=(3, 3)),
    ):
        assert not check_model(wrong)


def test_every_rule_of_the_table_is_one() -> None:
    """Rules stand in one row each, and are rules of the contract."""
    listed = [rule for entry in Unsaid for rule in entry.rules]
    assert len(listed) == len(set(listed))
    assert set(listed) <= all_rules().keys()


def arguments(**changes: Any) -> Callable[[Request], Request]:
    """A request whose first input is another one."""
    return lambda request: replace(request, inputs=(replace(request.inputs[0], **changes), *request.inputs[1:]))


REQUESTS: dict[str, tuple[Unsaid, Callable[[Request], Request]]] = {
    "negative offset": (Unsaid.NUMBERS, arguments(location=DataLocation(0, -8, PAIR_BYTES))),
    "negative padding": (Unsaid.NUMBERS, arguments(location=DataLocation(0, 0, PAIR_BYTES + 4, -4))),
    "no such pool": (Unsaid.OBJECTS, arguments(location=DataLocation(4, 0, PAIR_BYTES))),
    "negative pool": (Unsaid.OBJECTS, arguments(location=DataLocation(-1, 0, PAIR_BYTES))),
    "token": (Unsaid.OBJECTS, lambda request: replace(request, pools=(*request.pools, BufferToken(0)))),
    "no value": (Unsaid.NO_VALUE, arguments(has_no_value=True, location=DataLocation(0, 0, 4))),
    "padding": (Unsaid.PADDING, arguments(location=DataLocation(0, 0, PAIR_BYTES // 2, PAIR_BYTES // 2))),
    "padding of another argument": (
        Unsaid.PADDING,
        lambda request: replace(
            request,
            inputs=(replace(request.inputs[0], location=DataLocation(0, 0, PAIR_BYTES + 1)), *request.inputs[1:]),
            outputs=(replace(request.outputs[0], location=replace(request.outputs[0].location, padding=4)),),
        ),
    ),
    "dimensions": (Unsaid.NUMBERS, arguments(dimensions=(-2,))),
    "size": (Unsaid.MEMORY, lambda request: replace(request, pools=(replace(request.pools[0], size=0),))),  # type: ignore[call-arg]
}


@pytest.mark.parametrize("first", [False, True], ids=["alone", "behind another broken rule"])
@pytest.mark.parametrize("what", REQUESTS)
def test_requests_that_cannot_be_said(what: str, first: bool) -> None:
    """The same of requests, the first input of which is wrong, or a second output beside it."""
    unsaid, change = REQUESTS[what]
    with add_pool(1, 2, 3, 4) as pool:
        request = change(add_request(pool))
        if first:
            request = replace(request, outputs=request.outputs * 2)
        with pytest.raises(HalError) as refused:
            check_request(request, ExecutionConfig(), SUM, is_valid=True, unspecified_outputs=True)
    assert refused.value.rule == INEXPRESSIBLE
    assert refused.value.message.endswith(unsaid.why)


def test_requests_that_can_be_said() -> None:
    """A wrong one differs from a right one; neither is executed for a model that is invalid."""
    with add_pool(1, 2, 3, 4) as pool:
        request, config = add_request(pool), ExecutionConfig()
        assert check_request(request, config, SUM, is_valid=True, unspecified_outputs=True)
        more = replace(request, inputs=request.inputs * 2)
        assert not check_request(more, config, SUM, is_valid=True, unspecified_outputs=True)
        with pytest.raises(HalError, match="has accepted"):
            check_request(request, config, SUM, is_valid=False, unspecified_outputs=True)


@pytest.mark.parametrize(
    ("unsaid", "config"),
    [
        (Unsaid.PREFERENCES, PrepareModelConfig(preference=-1)),
        (Unsaid.PRIORITIES, PrepareModelConfig(priority=110)),
        (Unsaid.NUMBERS, PrepareModelConfig(deadline_ns=-2)),
        (Unsaid.NUMBERS, PrepareModelConfig(priority=2**31)),
        (Unsaid.NAMELESS, PrepareModelConfig(compilation_hints=(TokenValuePair(OF_EXTENSION, b""),))),
    ],
)
def test_configurations_that_cannot_be_said(unsaid: Unsaid, config: PrepareModelConfig) -> None:
    """One that is none of the HAL's and none of the C API's is for the library to refuse."""
    with pytest.raises(HalError) as refused:
        check_config(config)
    assert refused.value.rule == INEXPRESSIBLE
    assert refused.value.message.endswith(unsaid.why)
    check_config(PrepareModelConfig(preference=17, priority=17))


def wrong_memory() -> Iterator[tuple[str, Any, bool]]:
    """Memory that a library may die of, and whether it does by writing alone."""
    pool = create_ashmem(64)
    own = os.dup(pool.handle.fd)
    os.close(own)
    yield "closed", Ashmem(Handle(own), 64), False
    yield "too short", replace(pool, size=65), False
    yield "behind its end", MappableFile(pool.handle, 32, offset=64), False
    yield "far behind its end", MappableFile(pool.handle, 2**62, offset=2**62), False
    yield "without protection", MappableFile(pool.handle, 64, prot=0), False
    yield "unknown protection", MappableFile(pool.handle, 64, prot=0x80), False
    yield "negative", MappableFile(pool.handle, 64, offset=-64), False
    yield "buffer", HardwareBuffer(pool.handle, 64), False
    yield "to read", MappableFile(pool.handle, 64, prot=1), True


def test_memory_that_a_library_may_die_of() -> None:
    """Memory that is only read need not allow writing; a pipe fails when a library maps it, and is passed on."""
    for what, memory, by_writing in wrong_memory():
        if by_writing:
            check_memory(memory, "request/pool.valid", is_read=True)
        with pytest.raises(HalError) as refused:
            check_memory(memory, "request/pool.valid", is_read=not by_writing, is_written=by_writing)
        assert (what, refused.value.rule) == (what, INEXPRESSIBLE)
    check_memory(create_ashmem(64), "request/pool.valid", is_read=True, is_written=True)
    ours, theirs = os.pipe()
    check_memory(Ashmem(Handle(ours), 64), "request/pool.valid", is_read=True)
    os.close(ours)
    os.close(theirs)


def test_control_flow_of_unknown_size_is_found() -> None:
    """Outside and inside, whatever else is known."""
    assert not has_open_control_flow(branches((1, 2, 3)))
    assert not has_open_control_flow(loop())
    assert not has_open_control_flow(add_model((0,)))
    assert has_open_control_flow(branches((0, 2)))
    inner = branches(())
    assert has_open_control_flow(replace(branches((2,)), referenced=inner.referenced))


def outcome_of(model: Model) -> bool | str:
    """The answer of the check of a model, or the rule by which it refuses it."""
    try:
        return check_model(model)
    except HalError as error:
        return error.rule


def test_all_broken_rules_are_found_of_any_model() -> None:
    """Those of mutated models, among them the first, which validation says; nothing but a HalError is raised."""
    seeds = [encode_model(model_of_test(counting_loop(2))), encode_model(model_of_test(counting_loop(5)))]
    numbers = random.Random(5)
    broken_models = 0
    for number in range(1500):
        data = numbers.choice(seeds)
        for _ in range(numbers.randint(1, 4)):
            data = mutate_model(data, 1 << 14, number) or data
        model = decode_model(data)
        if model is None:
            continue
        with hal_model(model) as built:
            first = None
            try:
                validate_model(built)
            except HalError as error:
                first = error.rule
            rules = [error.rule for error in broken_rules(built)]
            assert (first is None) == (not rules)
            broken_models += bool(rules)
            if first is not None:
                assert first in rules
            assert outcome_of(built) in (True, False, INEXPRESSIBLE)
    assert broken_models >= 200


def test_an_argument_is_of_its_request() -> None:
    """An argument without value is a null pointer, and can be said."""
    nothing = RequestArgument(has_no_value=True)
    with add_pool(1, 2, 3, 4) as pool:
        request = replace(add_request(pool), inputs=(nothing, nothing))
        assert check_request(request, ExecutionConfig(), SUM, is_valid=True, unspecified_outputs=True)
