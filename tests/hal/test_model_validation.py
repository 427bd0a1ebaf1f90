"""Every rule of a model, broken once in an otherwise valid model. Expectations are read off the contract."""

import mmap
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from nnvet.hal.errors import HalError
from nnvet.hal.memory import close, create_ashmem
from nnvet.hal.rules import all_rules
from nnvet.hal.types import (
    Ashmem,
    DataLocation,
    ErrorStatus,
    ExtensionNameAndPrefix,
    ExtensionParams,
    FeatureLevel,
    Handle,
    MappableFile,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    Subgraph,
    SymmPerChannelQuantParams,
)
from nnvet.hal.validation import validate_model

Break = Callable[[Model], Model]


def operand(index: int, **changes: Any) -> Break:
    """Change fields of one operand of the main subgraph."""

    def change(model: Model) -> Model:
        operands = list(model.main.operands)
        operands[index] = replace(operands[index], **changes)
        return replace(model, main=replace(model.main, operands=tuple(operands)))

    return change


def main(**changes: Any) -> Break:
    """Change fields of the main subgraph."""
    return lambda model: replace(model, main=replace(model.main, **changes))


def whole(**changes: Any) -> Break:
    """Change fields of the model."""
    return lambda model: replace(model, **changes)


def extra_operand(added: Operand) -> Break:
    """Append an operand that no operation uses."""
    return lambda model: replace(model, main=replace(model.main, operands=(*model.main.operands, added)))


def self_reference(model: Model) -> Model:
    """A referenced subgraph with an operand that refers to the same subgraph."""
    loop = Operand(OperandType.SUBGRAPH, lifetime=OperandLifeTime.SUBGRAPH)
    inner = replace(model.main, operands=(*model.main.operands, loop))
    return replace(model, referenced=(inner,))


PER_CHANNEL = OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL


def per_channel(scales: tuple[float, ...], channel_dim: int) -> Break:
    """Append a per-channel input with these parameters."""
    params = SymmPerChannelQuantParams(scales, channel_dim)
    return extra_operand(Operand(PER_CHANNEL, (2, 3), lifetime=OperandLifeTime.SUBGRAPH_INPUT, extra_params=params))


BROKEN: list[tuple[str, Break]] = [
    ("model/pool.valid", whole(pools=(Ashmem(Handle(-1), 4),))),
    ("model/pool.valid", whole(pools=(Ashmem(Handle(0), 0),))),
    ("model/pool.valid", whole(pools=(MappableFile(Handle(0), 4, prot=mmap.PROT_EXEC),))),
    ("model/extension.name", whole(extension_name_to_prefix=(ExtensionNameAndPrefix("NoDots", 1),))),
    (
        "model/extension.unique",
        whole(extension_name_to_prefix=(ExtensionNameAndPrefix("a.b", 1), ExtensionNameAndPrefix("a.c", 1))),
    ),
    ("model/subgraph.cycle", self_reference),
    (
        "model/subgraph.reference",
        extra_operand(Operand(OperandType.SUBGRAPH, lifetime=OperandLifeTime.SUBGRAPH)),
    ),
    ("model/operands.empty", main(operands=())),
    ("model/operations.empty", main(operations=())),
    ("model/operand.type", operand(0, type=16)),
    ("model/operand.lifetime", operand(0, lifetime=7)),
    ("model/operand.subgraph", operand(0, lifetime=OperandLifeTime.SUBGRAPH)),
    ("model/operand.dimensions.scalar", operand(2, dimensions=(1,))),
    ("model/operand.dimensions.constant", operand(1, dimensions=(0,))),
    ("model/operand.dimensions.constant", operand(1, dimensions=())),
    ("model/operand.dimensions.overflow", operand(0, dimensions=(2**16, 2**16))),
    ("model/operand.scale", operand(0, scale=1.0)),
    ("model/operand.scale", operand(0, type=OperandType.TENSOR_QUANT8_ASYMM)),
    ("model/operand.scale", operand(0, type=OperandType.TENSOR_QUANT8_ASYMM, scale=float("nan"))),
    ("model/operand.zero_point", operand(0, zero_point=1)),
    ("model/operand.zero_point", operand(0, type=OperandType.TENSOR_QUANT8_ASYMM, scale=1.0, zero_point=256)),
    ("model/operand.zero_point", operand(0, type=OperandType.TENSOR_QUANT8_SYMM, scale=1.0, zero_point=1)),
    ("model/operand.extra_params", operand(0, extra_params=ExtensionParams(b""))),
    ("model/operand.extra_params", operand(0, type=PER_CHANNEL)),
    ("model/operand.channel_dim", per_channel((1.0, 1.0), 2)),
    ("model/operand.channel_scales", per_channel((1.0, 1.0), 1)),
    ("model/operand.channel_scales", per_channel((1.0, 0.0), 0)),
    ("model/operand.location.unused", operand(0, location=DataLocation(length=4))),
    ("model/operand.location.values", operand(1, location=DataLocation(offset=8, length=8))),
    ("model/operand.location.pool", operand(1, lifetime=OperandLifeTime.CONSTANT_REFERENCE)),
    ("model/operand.location.padding", operand(1, location=DataLocation(length=8, padding=1))),
    ("model/operand.location.length", operand(1, location=DataLocation(length=4))),
    ("model/operand.consumers", operand(1, number_of_consumers=2)),
    ("model/operation.type", main(operations=(Operation(106, (0, 1, 2), (3,)),))),
    ("model/operation.operands", main(operations=(Operation(OperationType.ADD, (0, 1, 4), (3,)),))),
    ("model/inputs.listed", main(input_indexes=())),
    ("model/inputs.listed", main(input_indexes=(0, 0))),
    ("model/outputs.listed", main(output_indexes=(0,))),
    ("model/order.written_once", main(operations=(Operation(OperationType.ADD, (0, 1, 2), (3,)),) * 2)),
    (
        "model/order.read_before_write",
        main(operations=(Operation(OperationType.ADD, (3, 1, 2), (3,)),)),
    ),
    ("model/order.never_written", extra_operand(Operand(OperandType.TENSOR_FLOAT32, (2,)))),
    ("ADD/inputs.count", main(operations=(Operation(OperationType.ADD, (0, 1), (3,)),))),
    ("ADD/outputs.count", main(operations=(Operation(OperationType.ADD, (0, 1, 2), ()),))),
    ("ADD/types", main(operations=(Operation(OperationType.ADD, (0, 2, 2), (3,)),))),
    ("ADD/ranks", operand(0, dimensions=(1, 1, 1, 2, 2))),
]


def test_the_model_of_these_tests_is_valid(add_model: Model) -> None:
    """The unbroken model passes and needs level 1."""
    assert validate_model(add_model) == FeatureLevel.FL1


@pytest.mark.parametrize(("rule", "break_it"), BROKEN, ids=[f"{n}-{rule}" for n, (rule, _) in enumerate(BROKEN)])
def test_broken_rule_is_named(add_model: Model, rule: str, break_it: Break) -> None:
    """A model that breaks one rule is refused with INVALID_ARGUMENT and the id of that rule."""
    with pytest.raises(HalError) as caught:
        validate_model(break_it(add_model))
    assert caught.value.status == ErrorStatus.INVALID_ARGUMENT
    assert caught.value.rule == rule


def test_a_pool_is_looked_at_each_time(add_model: Model) -> None:
    """A pool is looked at each time, though the model is known: its descriptor may be closed meanwhile."""
    pool = create_ashmem(4)
    model = replace(add_model, pools=(pool,))
    assert validate_model(model) == FeatureLevel.FL1
    close(pool)
    with pytest.raises(HalError) as caught:
        validate_model(model)
    assert caught.value.rule == "model/pool.valid"


def test_every_general_model_rule_is_broken_here() -> None:
    """No rule of models in the table of rules is left without a test (the level rule has its own)."""
    wanted = {rule.id for rule in all_rules().values() if rule.id.startswith("model/")} - {"model/level"}
    assert wanted == {rule for rule, _ in BROKEN if rule.startswith("model/")}


@pytest.mark.parametrize(
    ("break_it", "level"),
    [
        (operand(3, dimensions=()), FeatureLevel.FL3),
        (operand(3, dimensions=(0, 2)), FeatureLevel.FL1),
        (whole(relax_computation_float32_to_float16=True), FeatureLevel.FL1),
        (whole(extension_name_to_prefix=(ExtensionNameAndPrefix("vendor.ops", 1),)), FeatureLevel.FL3),
        (main(operations=(Operation(OperationType.SUB, (0, 1, 2), (3,)),)), FeatureLevel.FL2),
        (main(operations=(Operation(0x10001, (0, 1, 2), (3,)),)), FeatureLevel.FL3),
    ],
    ids=["unknown rank", "unknown dimension", "relaxed", "extension", "newer operation", "extension operation"],
)
def test_required_level(add_model: Model, break_it: Break, level: FeatureLevel) -> None:
    """The level that a model needs is the highest of its parts (docs/contract/hal.md 4 and 7)."""
    model = break_it(add_model)
    assert validate_model(model) == level
    if level > FeatureLevel.FL1:
        with pytest.raises(HalError) as caught:
            validate_model(model, FeatureLevel(level - 1))
        assert caught.value.rule == "model/level"


def test_long_chain_of_subgraphs(add_model: Model) -> None:
    """Thousands of subgraphs, each referring to the next, are checked without exhausting the stack."""
    count = 3000

    def link(target: int) -> Subgraph:
        location = DataLocation(offset=target)
        loop = Operand(OperandType.SUBGRAPH, lifetime=OperandLifeTime.SUBGRAPH, location=location)
        return replace(add_model.main, operands=(*add_model.main.operands, loop))

    chain = (*tuple(link(index + 1) for index in range(count)), add_model.main)
    assert validate_model(replace(add_model, referenced=chain)) == FeatureLevel.FL4
