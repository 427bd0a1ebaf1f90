"""RESIZE_CUBIC, DYNAMIC_QUANTIZE: images of another size, and numbers in another scale."""

from __future__ import annotations

from typing import Final

from nnvet.extensions.next import codes
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, OutputSpec, Rule, Signature, ZeroSized
from nnvet.hal.operations.shapes import integer, tensor

_SIZES: Final = ("height", "width")


def _resized(call: Call) -> tuple[OutputSpec, ...]:
    return (OutputSpec((*call["input"].dimensions[:2], *(call.scalar(name, 0) for name in _SIZES))),)


def _quantized(call: Call) -> tuple[OutputSpec, ...]:
    return (OutputSpec(call["input"].dimensions), OutputSpec((1,)), OutputSpec((1,)))


DECLARATIONS: Final = (
    OperationDeclaration(
        type=codes.RESIZE_CUBIC,
        summary="images of another height and width, by cubic interpolation of four rows and columns",
        rows=codes.FLOATS,
        signatures=(
            Signature(
                "resize",
                (
                    tensor("input", "T", 4, "batches, channels, height, width"),
                    integer("height", "height of the output"),
                    integer("width", "width of the output"),
                    Formal(
                        "align_corners", T.BOOL, "whether centres of corners meet, and not the corners", parameter=True
                    ),
                ),
            ),
        ),
        outputs=(Formal("output", "T", "resized images"),),
        infer=_resized,
        rules=(
            Rule(
                f"{codes.RESIZE_CUBIC.name}/size.positive",
                "Height and width of the output are 1 or more.",
                lambda call: min(call.scalar(name, 0) for name in _SIZES) > 0,
            ),
        ),
        zero_sized=ZeroSized.FAILS,
    ),
    OperationDeclaration(
        type=codes.DYNAMIC_QUANTIZE,
        summary="codes from 0 to 255 for the range of the input and zero, with the scale and zero point that they have",
        rows=codes.FLOATS,
        signatures=(Signature("quantize", (tensor("input", "T", (1, 5), "numbers"),)),),
        outputs=(
            Formal("codes", T.TENSOR_INT32, "nearest codes"),
            Formal("scale", "T", "the distance of two codes, in one element"),
            Formal("zero_point", T.TENSOR_INT32, "the code of zero, in one element"),
        ),
        infer=_quantized,
        zero_sized=ZeroSized.FAILS,
    ),
)
