"""The example extension ``nnvet.example``, fixed-point numbers of 64 bits, for learning and for tests.

A TENSOR_FIXED64 operand has one byte of extension data, the number of its fraction bits: the element q stands for
q / 2^bits. Kernels are in ``reference_driver/kernels/example_extension.py``.
"""

from __future__ import annotations

from nnvet.hal.enums import OperandType
from nnvet.hal.extensions import ExtensionDeclaration
from nnvet.hal.operand_types import ExtensionCode, ExtensionType
from nnvet.hal.operations.declaration import Argument, Call, Formal, OperationDeclaration, Phase, Rule, Signature, rows
from nnvet.hal.operations.shapes import broadcast_of, broadcast_rule, shape_of

_NAME = "nnvet.example"
"""Name of the extension, as a driver announces it."""
_PREFIX = 0x6E76
"""Prefix of the codes of the extension inside nnvet: "nv" in ASCII."""
_MOST_FRACTION_BITS = 62
"""Most fraction bits, so that the number 1 still has a code in 64 bits with a sign."""

TENSOR_FIXED64 = ExtensionType(_NAME, _PREFIX, 0, "TENSOR_FIXED64", dtype="int64", is_tensor=True)
"""Type of tensors of fixed-point numbers."""
TO_FIXED64 = ExtensionCode(_NAME, _PREFIX, 0, "TO_FIXED64")
"""Operation that converts floats to fixed-point numbers."""
ADD_FIXED64 = ExtensionCode(_NAME, _PREFIX, 1, "ADD_FIXED64")
"""Operation that adds fixed-point numbers."""


def fraction_bits(argument: Argument) -> int:
    """Return the fraction bits of a TENSOR_FIXED64; -1 if its extension data is invalid."""
    data = argument.extension_data
    return data[0] if len(data) == 1 and data[0] <= _MOST_FRACTION_BITS else -1


def _fraction_bits_rule(operation: ExtensionCode) -> Rule:
    def known_and_equal(call: Call) -> bool:
        operands = (*call.inputs.values(), *call.outputs)
        bits = {fraction_bits(operand) for operand in operands if operand.type == TENSOR_FIXED64}
        return len(bits) == 1 and -1 not in bits

    return Rule(
        f"{operation.name}/fraction_bits",
        f"Every TENSOR_FIXED64 tells the same number of fraction bits in one byte, at most {_MOST_FRACTION_BITS}.",
        known_and_equal,
        phase=Phase.MODEL,
    )


def _operand(name: str, meaning: str) -> Formal:
    return Formal(name, TENSOR_FIXED64, meaning, rank=(1, None), rank_phase=Phase.EXECUTION)


EXAMPLE = ExtensionDeclaration(
    name=_NAME,
    operand_types=(TENSOR_FIXED64,),
    operations=(
        OperationDeclaration(
            type=TO_FIXED64,
            summary="floats as fixed-point numbers, rounded half to even",
            rows=rows((3, {"T": OperandType.TENSOR_FLOAT16}), (3, {"T": OperandType.TENSOR_FLOAT32})),
            signatures=(
                Signature("convert", (Formal("input", "T", "floats", rank=(1, None), rank_phase=Phase.EXECUTION),)),
            ),
            outputs=(Formal("output", TENSOR_FIXED64, "the same numbers"),),
            infer=shape_of("input"),
            rules=(
                _fraction_bits_rule(TO_FIXED64),
                Rule(f"{TO_FIXED64.name}/input.values", "Every number is finite and, converted, fits in 64 bits."),
            ),
        ),
        OperationDeclaration(
            type=ADD_FIXED64,
            summary="sum of fixed-point numbers, clamped to what 64 bits hold",
            rows=rows((3, {})),
            signatures=(
                Signature("binary", (_operand("input0", "first operand"), _operand("input1", "second, broadcast"))),
            ),
            outputs=(Formal("output", TENSOR_FIXED64, "sum"),),
            infer=broadcast_of("input0", "input1"),
            rules=(
                _fraction_bits_rule(ADD_FIXED64),
                broadcast_rule(ADD_FIXED64.name, "input0", "input1"),
            ),
        ),
    ),
)
