"""Every rule of ``nnvet.next`` that is checked: a call that keeps it, and one that breaks it; shapes by hand."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.extensions.next import NEXT
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import bind
from nnvet.hal.operations.declaration import Argument, Call, OperationDeclaration
from nnvet.hal.types import SymmPerChannelQuantParams

F, WHOLE = T.TENSOR_FLOAT32, T.TENSOR_INT32
DECLARATIONS: Final = {operation.name.partition("::")[2]: operation for operation in NEXT.operations}


def of(kind: T, value: Any) -> Argument:
    """An input with a value."""
    array = np.asarray(value, type_info(kind).dtype)
    return Argument(kind, array.shape, value=array)


def ones(*dimensions: int) -> Argument:
    """A float32 tensor."""
    return of(F, np.ones(dimensions))


def number(value: float) -> Argument:
    """A scalar: BOOL, INT32 or FLOAT32."""
    return of({bool: T.BOOL, int: T.INT32}.get(type(value), T.FLOAT32), value)


def numbers(*values: Any) -> Argument:
    """A TENSOR_INT32."""
    return of(WHOLE, values)


NONE: Final = Argument(F, omitted=True)
CODES: Final = T.TENSOR_QUANT8_ASYMM


def codes(*dimensions: int, scale: float = 0.5) -> Argument:
    """A tensor of codes."""
    return replace(of(CODES, np.ones(dimensions)), scale=scale)


VALID: Final[Mapping[str, tuple[Sequence[Argument], tuple[int, ...]]]] = {
    "GELU": ((ones(2, 3), number(True)), (2, 3)),
    "SILU": ((ones(2, 3),), (2, 3)),
    "MISH": ((ones(2, 3),), (2, 3)),
    "SOFTPLUS": ((ones(2, 3),), (2, 3)),
    "ERF": ((ones(2, 3),), (2, 3)),
    "CLIP": ((ones(2, 3), number(0.0), number(1.0)), (2, 3)),
    "SIGN": ((ones(2, 3),), (2, 3)),
    "ROUND": ((ones(2, 3),), (2, 3)),
    "LAYER_NORMALIZATION": ((ones(2, 3, 4), ones(3, 4), ones(3, 4), number(-2), number(0.1)), (2, 3, 4)),
    "RMS_NORMALIZATION": ((ones(2, 3, 4), ones(4), number(2), number(0.1)), (2, 3, 4)),
    "GROUP_NORMALIZATION": ((ones(2, 4, 3), ones(4), ones(4), number(2), number(0.1)), (2, 4, 3)),
    "MATMUL": ((ones(2, 1, 3, 4), ones(5, 4, 6)), (2, 5, 3, 6)),
    "CUMSUM": ((ones(2, 3), number(1), number(False), number(False)), (2, 3)),
    "ATTENTION": (
        (ones(1, 4, 3, 2), ones(1, 2, 5, 2), ones(1, 2, 5, 6), ones(3, 5), number(0.5), number(True), number(2)),
        (1, 4, 3, 6),
    ),
    "ROTARY_EMBEDDING": ((ones(2, 3, 4, 6), ones(2, 4, 3), ones(2, 4, 3), number(False)), (2, 3, 4, 6)),
    "TRILU": ((ones(2, 3), number(0), number(True)), (2, 3)),
    "WHERE": ((of(T.TENSOR_BOOL8, [[1], [0]]), codes(1, 3), codes(3)), (2, 3)),
    "GATHER_ND": ((ones(4, 5, 6), numbers([0, -5], [-4, 4], [3, 0])), (3, 6)),
    "SCATTER_ND": ((codes(4, 5), numbers([0], [-1]), codes(2, 5)), (4, 5)),
    "ONE_HOT": ((numbers(0, 9), number(3), ones(2), number(-2)), (3, 2)),
    "TENSOR_SCATTER": ((codes(2, 3, 5, 4), codes(2, 3, 2, 4), numbers(0, 3), number(False)), (2, 3, 5, 4)),
    "CONV_1D": (
        (ones(1, 4, 7), ones(6, 2, 3), ones(6), numbers(2), numbers(2), numbers(1, 0), number(2)),
        (1, 6, 2),
    ),
    "CONV_3D": (
        (
            *(ones(1, 2, 3, 4, 5), ones(3, 2, 1, 2, 3), ones(3), numbers(1, 1, 2), numbers(1, 1, 1)),
            *(numbers(0, 0, 1, 0, 0, 1), number(1)),
        ),
        (1, 3, 3, 3, 3),
    ),
    "CONV_TRANSPOSE": (
        (
            *(ones(1, 4, 3), ones(4, 3, 3), ones(6), numbers(2), numbers(1), numbers(1, 0), number(2)),
            numbers(1),
        ),
        (1, 6, 7),
    ),
    "RESIZE_CUBIC": ((ones(1, 2, 3, 4), number(5), number(6), number(True)), (1, 2, 5, 6)),
    "DYNAMIC_QUANTIZE": ((ones(2, 3),), (2, 3)),
    "EINSUM": ((ones(2, 3, 4), ones(4, 2, 5), numbers(7, 1, 0), numbers(0, 7, 9), numbers(9, 7, 1)), (5, 2, 3)),
    "HYBRID_FULLY_CONNECTED": (
        (ones(2, 3), replace(of(T.TENSOR_QUANT8_SYMM, np.ones((4, 3))), scale=0.5), ones(4)),
        (2, 4),
    ),
}
"""Inputs that are allowed, and the dimensions of the output, by hand."""

BROKEN: Final[tuple[tuple[str, Mapping[int, Argument]], ...]] = (
    ("LAYER_NORMALIZATION/axis.range", {3: number(3)}),
    ("LAYER_NORMALIZATION/scale.shape", {1: ones(4)}),
    ("LAYER_NORMALIZATION/bias.shape", {2: ones(1, 4)}),
    ("LAYER_NORMALIZATION/epsilon.positive", {4: number(0.0)}),
    ("RMS_NORMALIZATION/axis.range", {2: number(-4)}),
    ("RMS_NORMALIZATION/scale.shape", {1: ones(3)}),
    ("RMS_NORMALIZATION/epsilon.positive", {3: number(-1.0)}),
    ("GROUP_NORMALIZATION/groups", {3: number(3)}),
    ("GROUP_NORMALIZATION/groups", {3: number(0)}),
    ("GROUP_NORMALIZATION/scale.shape", {1: ones(3)}),
    ("GROUP_NORMALIZATION/bias.shape", {2: ones(2)}),
    ("GROUP_NORMALIZATION/epsilon.positive", {4: number(0.0)}),
    ("MATMUL/shapes", {1: ones(5, 3, 6)}),
    ("MATMUL/shapes", {0: ones(2, 2, 3, 4)}),
    ("CUMSUM/axis.range", {1: number(2)}),
    ("ATTENTION/shapes", {1: ones(1, 3, 5, 2)}),
    ("ATTENTION/shapes", {2: ones(1, 2, 4, 6)}),
    ("ATTENTION/mask.shape", {3: ones(3, 4)}),
    ("ATTENTION/past", {6: number(-1)}),
    ("ROTARY_EMBEDDING/cosines.shape", {1: ones(2, 4, 4)}),
    ("ROTARY_EMBEDDING/sines.shape", {2: ones(2, 4, 2)}),
    ("WHERE/broadcast", {2: codes(2)}),
    ("WHERE/quantization", {2: codes(3, scale=0.25)}),
    ("GATHER_ND/indices.shape", {1: numbers([0, 0, 0, 0])}),
    ("GATHER_ND/indices.range", {1: numbers([4, 0])}),
    ("GATHER_ND/indices.range", {1: numbers([0, -6])}),
    ("SCATTER_ND/indices.shape", {1: numbers([0, 0, 0])}),
    ("SCATTER_ND/indices.range", {1: numbers([0], [4])}),
    ("SCATTER_ND/updates.shape", {2: codes(2, 4)}),
    ("SCATTER_ND/indices.unique", {1: numbers([3], [-1])}),
    ("SCATTER_ND/quantization", {2: codes(2, 5, scale=1.0)}),
    ("ONE_HOT/depth.positive", {1: number(0)}),
    ("ONE_HOT/values.length", {2: ones(3)}),
    ("ONE_HOT/axis.range", {3: number(2)}),
    ("TENSOR_SCATTER/shapes", {1: codes(2, 3, 6, 4)}),
    ("TENSOR_SCATTER/shapes", {2: numbers(0)}),
    ("TENSOR_SCATTER/places.range", {2: numbers(0, 4)}),
    ("TENSOR_SCATTER/places.range", {2: numbers(5, 0), 3: number(True)}),
    ("TENSOR_SCATTER/quantization", {1: codes(2, 3, 2, 4, scale=1.0)}),
    *(
        (f"{name}/{rule}", {place: value})
        for name, half in (("CONV_1D", 1), ("CONV_3D", 3), ("CONV_TRANSPOSE", 1))
        for rule, place, value in (
            ("lists", 3, numbers(*[0] * half)),
            ("lists", 4, numbers(*[1] * (half + 1))),
            ("lists", 5, numbers(*[-1] * 2 * half)),
            ("channels", 2, ones(5)),
            ("channels", 6, number(0)),
        )
    ),
    ("CONV_1D/fits", {4: numbers(4)}),
    ("CONV_3D/fits", {4: numbers(1, 1, 4)}),
    ("CONV_TRANSPOSE/fits", {5: numbers(4, 4)}),
    ("CONV_TRANSPOSE/lists", {7: numbers(2)}),
    ("EINSUM/labels", {4: numbers(9, 8)}),
    ("EINSUM/labels", {2: numbers(7, 1, 1)}),
    ("EINSUM/labels", {3: numbers(0, 7)}),
    ("RESIZE_CUBIC/size.positive", {2: number(0)}),
    ("EINSUM/sizes", {3: numbers(0, 9, 7)}),
    ("HYBRID_FULLY_CONNECTED/shapes", {2: ones(3)}),
    (
        "HYBRID_FULLY_CONNECTED/weights.channel",
        {
            1: Argument(
                T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
                (4, 3),
                channel_quant=SymmPerChannelQuantParams((1.0, 1.0, 1.0), 1),
                value=np.ones((4, 3), np.int8),
            )
        },
    ),
)


def call_of(declaration: OperationDeclaration, inputs: Sequence[Argument]) -> Call:
    """A call with an output of the type, scale and zero point of the tensors."""
    kind = next(
        operand
        for operand in inputs
        if type_info(operand.type).is_tensor and operand.type not in (T.TENSOR_BOOL8, WHOLE)
    )
    output = Argument(kind.type, scale=kind.scale, zero_point=kind.zero_point)
    others = [Argument(WHOLE), output, Argument(WHOLE)]
    return bind(declaration, inputs, others if len(declaration.outputs) > 1 else [output])


def first_broken(call: Call) -> str:
    """The first rule that a call breaks, in the order in which they are checked."""
    broken = (rule.id for rule in call.declaration.rules if rule.check is not None and not rule.check(call))
    return next(broken, "").partition("::")[2]


@pytest.mark.parametrize("name", DECLARATIONS)
def test_valid_calls_keep_all_rules(name: str) -> None:
    """Nothing is wrong with them, and the output has the dimensions that it has by hand."""
    inputs, dimensions = VALID[name]
    call = call_of(DECLARATIONS[name], inputs)
    assert first_broken(call) == ""
    spec = call.declaration.infer(call)[0]
    assert spec.dimensions == dimensions


@pytest.mark.parametrize(("rule", "changes"), BROKEN, ids=[f"{rule}-{place}" for place, (rule, _) in enumerate(BROKEN)])
def test_rules_are_broken(rule: str, changes: Mapping[int, Argument]) -> None:
    """With other inputs in some places the rule is the first one that is broken."""
    name = rule.partition("/")[0]
    inputs = list(VALID[name][0])
    for place, argument in changes.items():
        inputs[place] = argument
    assert first_broken(call_of(DECLARATIONS[name], inputs)) == rule


def test_every_rule_is_broken_once() -> None:
    """No rule is left out."""
    checked = {rule.id.partition("::")[2] for operation in NEXT.operations for rule in operation.rules}
    assert checked == {rule for rule, _ in BROKEN}


@pytest.mark.parametrize("name", ["LAYER_NORMALIZATION", "ATTENTION"])
def test_what_may_be_omitted(name: str) -> None:
    """The bias of a normalisation, and the mask of attention."""
    inputs = list(VALID[name][0])
    inputs[{"LAYER_NORMALIZATION": 2, "ATTENTION": 3}[name]] = NONE
    assert first_broken(call_of(DECLARATIONS[name], inputs)) == ""
