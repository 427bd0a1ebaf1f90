"""Validation of allocations: every rule, and what is known of valid ones. Expected values are by hand.

Source: docs/contract/hal.md 11.3.
"""

import pytest

from nnvet.hal.errors import HalError
from nnvet.hal.types import (
    BufferDesc,
    BufferRole,
    ErrorStatus,
    ExtensionParams,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    Subgraph,
    SymmPerChannelQuantParams,
)
from nnvet.hal.validation.request import Direction, Role, check_allocation

_INPUT, _OUTPUT = OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT
_FLOAT, _QUANT = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM
_CHANNELS = OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL


def model(*operands: Operand) -> Model:
    """A model whose inputs and outputs are the operands with these lifetimes; what it computes does not matter."""
    inputs, outputs = (
        tuple(index for index, operand in enumerate(operands) if operand.lifetime == lifetime)
        for lifetime in (_INPUT, _OUTPUT)
    )
    return Model(Subgraph(operands, (Operation(OperationType.ADD, inputs, outputs),), inputs, outputs))


def of(kind: OperandType, dimensions: tuple[int, ...], scale: float = 0.0, zero_point: int = 0) -> Model:
    """One input and one output of the same kind."""
    return model(*(Operand(kind, dimensions, scale, zero_point, lifetime) for lifetime in (_INPUT, _OUTPUT)))


def channels(*scales: float) -> Model:
    """An input with a scale for each channel."""
    params = SymmPerChannelQuantParams(scales, 0)
    operand = Operand(_CHANNELS, (len(scales),), lifetime=_INPUT, extra_params=params)
    return model(operand, Operand(_FLOAT, (len(scales),), lifetime=_OUTPUT))


PLAIN = of(_FLOAT, (2, 3))
SCALAR = model(Operand(OperandType.INT32, lifetime=_INPUT), Operand(_FLOAT, (1,), lifetime=_OUTPUT))
FIRST, SECOND = BufferRole(0, 0), BufferRole(1, 0)


class Prepared:
    """A prepared model of the driver; unlike models, two of them are never equal."""

    def __init__(self, source: Model) -> None:
        """Prepare."""
        self.model = source


PREPARED: dict[int, Prepared] = {}
"""By the identity of the model, which each of them keeps alive."""


def prepared(source: object) -> object:
    """The prepared model of a model, the same each time; whatever else it is given itself."""
    return PREPARED.setdefault(id(source), Prepared(source)) if isinstance(source, Model) else source


def allocation(models: object, inputs: object = (), outputs: object = (), *dimensions: int) -> tuple[Operand, object]:
    """Check an allocation for the prepared models of ``models``; a string is nobody's."""
    return check_allocation(
        BufferDesc(tuple(dimensions)),
        [prepared(given) for given in models],  # type: ignore[attr-defined, misc]
        inputs,  # type: ignore[arg-type]
        outputs,  # type: ignore[arg-type]
        lambda known: known.model if isinstance(known, Prepared) else None,
    )


@pytest.mark.parametrize(
    ("rule", "arguments"),
    [
        ("allocate/roles", ((), (FIRST,))),
        ("allocate/roles", ((PLAIN,), (), ())),
        ("allocate/model", ((None,), (FIRST,))),
        ("allocate/model", (("stranger",), (), (FIRST,))),
        ("allocate/model", ((PLAIN, None), (FIRST,))),
        ("allocate/model_index", ((PLAIN,), (SECOND,))),
        ("allocate/model_index", ((PLAIN,), (), (BufferRole(-1, 0),))),
        ("allocate/io_index", ((PLAIN,), (BufferRole(0, 1),))),
        ("allocate/io_index", ((PLAIN,), (), (BufferRole(0, -1),))),
        *[("allocate/probability", ((PLAIN,), (BufferRole(0, 0, p),))) for p in (0.0, -0.5, 1.5, float("nan"))],
        ("allocate/role.unique", ((PLAIN,), (FIRST, FIRST))),
        ("allocate/role.unique", ((PLAIN, PLAIN), (), (FIRST, SECOND))),
        ("allocate/type", ((PLAIN, of(OperandType.TENSOR_FLOAT16, (2, 3))), (FIRST,), (SECOND,))),
        ("allocate/quantization", ((of(_QUANT, (2,), 0.5), of(_QUANT, (2,), 1.0)), (FIRST, SECOND))),
        ("allocate/quantization", ((of(_QUANT, (2,), 0.5), of(_QUANT, (2,), 0.5, 7)), (), (FIRST, SECOND))),
        ("allocate/quantization", ((channels(0.5, 0.5), channels(0.5, 0.25)), (FIRST, SECOND))),
        ("allocate/dimensions", ((PLAIN, of(_FLOAT, (2, 3, 1))), (FIRST, SECOND))),
        ("allocate/dimensions", ((PLAIN, of(_FLOAT, (2, 4))), (FIRST,), (SECOND,))),
        ("allocate/dimensions", ((PLAIN,), (FIRST,), (), 2, 3, 1)),
        ("allocate/dimensions", ((PLAIN,), (FIRST,), (), 2, 4)),
        ("allocate/dimensions", ((of(_FLOAT, (0, 3)),), (FIRST,), (), -1, 3)),
        ("allocate/dimensions", ((of(_FLOAT, ()),), (FIRST,), (), 2**32)),
        ("allocate/dimensions.scalar", ((SCALAR,), (FIRST,), (), 1)),
        # The first and the last are compatible with the middle, but not with each other.
        (
            "allocate/dimensions",
            ((of(_FLOAT, (2, 0)), of(_FLOAT, (0, 3)), of(_FLOAT, (4, 0))), (FIRST, SECOND, BufferRole(2, 0))),
        ),
    ],
)
def test_invalid_arguments(rule: str, arguments: tuple[object, ...]) -> None:
    """Each broken rule is INVALID_ARGUMENT and named."""
    with pytest.raises(HalError) as refused:
        allocation(*arguments)  # type: ignore[arg-type]
    assert (refused.value.status, refused.value.rule) == (ErrorStatus.INVALID_ARGUMENT, rule)


@pytest.mark.parametrize(
    ("arguments", "dimensions"),
    [
        (((PLAIN,), (FIRST,), (FIRST,)), (2, 3)),
        (((of(_FLOAT, (0, 3)),), (FIRST,), (), 2, 0), (2, 3)),
        (((of(_FLOAT, ()),), (FIRST,)), ()),
        (((of(_FLOAT, ()), of(_FLOAT, (0, 3))), (), (FIRST, SECOND)), (0, 3)),
        (((of(_FLOAT, (2, 0)), of(_FLOAT, (0, 3))), (FIRST, SECOND)), (2, 3)),
        (((SCALAR,), (FIRST,)), ()),
        (((channels(0.5, 0.25), channels(0.5, 0.25)), (FIRST, SECOND)), (2,)),
    ],
)
def test_what_is_known_of_the_memory(arguments: tuple[object, ...], dimensions: tuple[int, ...]) -> None:
    """Dimensions are those of all roles and of the description together."""
    operand, _ = allocation(*arguments)  # type: ignore[arg-type]
    assert operand.dimensions == dimensions


def test_roles_name_prepared_models() -> None:
    """Roles are those of the prepared models themselves, whatever their position in the list."""
    other = of(_FLOAT, (2, 3))
    _, roles = allocation((PLAIN, other), (SECOND,), (FIRST,))
    wanted = (Role(prepared(other), Direction.INPUT, 0), Role(prepared(PLAIN), Direction.OUTPUT, 0))  # type: ignore[arg-type]
    assert roles == wanted


def test_parameters_of_extensions_are_not_compared() -> None:
    """Nobody but the driver knows what the parameters of an extension's type mean."""
    models = [
        model(
            Operand(0x10001, (2,), lifetime=_INPUT, extra_params=ExtensionParams(data)),
            Operand(_FLOAT, (2,), lifetime=_OUTPUT),
        )
        for data in (b"a", b"b")
    ]
    operand, _ = allocation(models, (FIRST, SECOND))
    assert operand.type == 0x10001
