"""Declarations of weighted sums and of the quantisation of their inputs.

Operations: CONV_1D, CONV_3D, CONV_TRANSPOSE, EINSUM, HYBRID_FULLY_CONNECTED, RESIZE_CUBIC, DYNAMIC_QUANTIZE.

Before :data:`DECLARATIONS` stand the conditions of rules (``…_fit``: they return True if a call keeps the rule) and the
shapes of outputs (``_infer_…``). :func:`equation_of` writes the labels of EINSUM as runtimes want them. What the
operations compute is in ``meanings/sums.py``.
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from nnvet.extensions.next import codes
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operand_types import ExtensionCode
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    OperationDeclaration,
    OutputSpec,
    Rule,
    Signature,
    ZeroSized,
    rows,
)
from nnvet.hal.operations.shapes import integer, tensor

_CHANNELS: Final = 2
"""Number of dimensions of an image before the spatial ones: batches and channels."""


def _declare_list(name: str, meaning: str) -> Formal:
    """Return the declaration of a parameter that is a list of integers."""
    return Formal(name, T.TENSOR_INT32, meaning, rank=(1, 1), parameter=True)


def _lists_fit(call: Call) -> bool:
    places = call["input"].rank - _CHANNELS
    lengths = [call[name].dimensions for name in ("strides", "dilations", "pads")]
    steps = [*call.vector("strides"), *call.vector("dilations")]
    if lengths != [(places,), (places,), (2 * places,)] or min(steps) < 1 or min(call.vector("pads")) < 0:
        return False
    if not call.has("output_padding"):
        return True
    added = call.vector("output_padding")
    return len(added) == places and all(
        0 <= cells < step for cells, step in zip(added, call.vector("strides"), strict=True)
    )


def _channels_fit(call: Call) -> bool:
    source, filters, groups = call["input"].dimensions, call["filter"].dimensions, call.scalar("groups", 0)
    if len(filters) != len(source) or groups < 1 or filters[0] % groups:
        return False
    if call.declaration.type == codes.CONV_TRANSPOSE:
        return filters[0] == source[1] and call["bias"].dimensions == (filters[1] * groups,)
    return filters[1] * groups == source[1] and call["bias"].dimensions == (filters[0],)


def _compute_sizes(call: Call) -> list[int]:
    """Return the sizes of the spatial dimensions of a convolution's output."""
    source, filters = call["input"].dimensions[_CHANNELS:], call["filter"].dimensions[_CHANNELS:]
    strides, dilations, pads = (call.vector(name) for name in ("strides", "dilations", "pads"))
    padded = [head + tail for head, tail in zip(pads[: len(source)], pads[len(source) :], strict=True)]
    extents = [(size - 1) * dilation for size, dilation in zip(filters, dilations, strict=True)]
    if call.declaration.type == codes.CONV_TRANSPOSE:
        parts = zip(source, strides, extents, call.vector("output_padding"), padded, strict=True)
        return [(size - 1) * stride + extent + 1 + added - pad for size, stride, extent, added, pad in parts]
    parts_of = zip(source, strides, extents, padded, strict=True)
    return [(size + pad - extent - 1) // stride + 1 for size, stride, extent, pad in parts_of]


def _infer_convolution(call: Call) -> tuple[OutputSpec, ...]:
    return (OutputSpec((call["input"].dimensions[0], *call["bias"].dimensions, *_compute_sizes(call))),)


def _declare_convolution(
    code: ExtensionCode, rank: int | tuple[int, int], summary: str, *further: Formal
) -> OperationDeclaration:
    is_transposed = code == codes.CONV_TRANSPOSE
    filters = "channels, results of a group" if is_transposed else "results, channels of a group"
    return OperationDeclaration(
        type=code,
        summary=summary,
        rows=codes.FLOATS,
        signatures=(
            Signature(
                "convolution",
                (
                    tensor("input", "T", rank, "batches, channels, places"),
                    tensor("filter", "T", rank, f"{filters}, places of the window"),
                    tensor("bias", "T", 1, "addend of each result"),
                    _declare_list("strides", "step of each dimension of places"),
                    _declare_list("dilations", "distance of neighbours in the window"),
                    _declare_list("pads", "zeros before each dimension of places, then those behind each"),
                    integer("groups", "number of groups of channels, of which each result sees one"),
                    *further,
                ),
            ),
        ),
        outputs=(Formal("output", "T", "batches, results, places"),),
        infer=_infer_convolution,
        rules=(
            Rule(
                f"{code.name}/lists",
                "Lists have an entry for each dimension (two of pads); steps are positive, pads not negative, and "
                "what is added to the output is smaller than the stride.",
                _lists_fit,
            ),
            Rule(
                f"{code.name}/channels",
                "The groups divide the channels, the filter has those of a group, the bias a number for each result.",
                _channels_fit,
            ),
            Rule(f"{code.name}/fits", "The output has a place.", lambda call: min(_compute_sizes(call)) > 0),
        ),
        zero_sized=ZeroSized.FAILS,
    )


_LABELS: Final = ("first_labels", "second_labels", "output_labels")
"""Operands of EINSUM with the labels of the dimensions of both inputs and of the output."""


def _labels_fit(call: Call) -> bool:
    first, second, output = (call.vector(name) for name in _LABELS)
    if (len(first), len(second)) != (call["first"].rank, call["second"].rank) or not output:
        return False
    are_distinct = all(len(set(labels)) == len(labels) for labels in (first, second, output))
    return are_distinct and set(output) <= {*first, *second} and min(chain(first, second)) >= 0


def _map_sizes(call: Call) -> dict[int, int]:
    """Return the sizes of dimensions by their labels in EINSUM."""
    pairs = (zip(call.vector(f"{name}_labels"), call[name].dimensions, strict=True) for name in ("first", "second"))
    return dict(chain.from_iterable(pairs))


def _sizes_fit(call: Call) -> bool:
    sizes = _map_sizes(call)
    return all(
        sizes[label] == size for label, size in zip(call.vector(_LABELS[0]), call["first"].dimensions, strict=True)
    )


def equation_of(call: Call) -> str:
    """Return the labels of a call of EINSUM as runtimes write them, such as ``ab,bc->ac``."""
    labels = [call.vector(name) for name in _LABELS]
    letters = {label: chr(ord("a") + number) for number, label in enumerate(dict.fromkeys(chain(*labels)))}
    first, second, output = ("".join(letters[label] for label in part) for part in labels)
    return f"{first},{second}->{output}"


def _infer_einsum(call: Call) -> tuple[OutputSpec, ...]:
    sizes = _map_sizes(call)
    return (OutputSpec(tuple(sizes[label] for label in call.vector(_LABELS[2]))),)


def _hybrid_fits(call: Call) -> bool:
    source, weights = call["input"].dimensions, call["weights"].dimensions
    return source[1] == weights[1] and call["bias"].dimensions == weights[:1]


# Prefixes of the names of rules.
_EINSUM, _HYBRID = codes.EINSUM.name, codes.HYBRID_FULLY_CONNECTED.name


_SIZES: Final = ("height", "width")
"""Parameters of RESIZE_CUBIC with the size of the output."""


def _infer_resized(call: Call) -> tuple[OutputSpec, ...]:
    return (OutputSpec((*call["input"].dimensions[:2], *(call.scalar(name, 0) for name in _SIZES))),)


def _infer_quantized(call: Call) -> tuple[OutputSpec, ...]:
    return (OutputSpec(call["input"].dimensions), OutputSpec((1,)), OutputSpec((1,)))


DECLARATIONS: Final = (
    _declare_convolution(
        codes.CONV_1D, 3, "sums of a window's elements times a filter, along one dimension, plus a bias"
    ),
    _declare_convolution(
        codes.CONV_3D, 5, "sums of a window's elements times a filter, in three dimensions, plus a bias"
    ),
    _declare_convolution(
        codes.CONV_TRANSPOSE,
        (3, 5),
        "filters times each element, added up where they overlap, plus a bias; in one to three dimensions",
        _declare_list("output_padding", "places added behind each dimension of the output"),
    ),
    OperationDeclaration(
        type=codes.EINSUM,
        summary="sums of products of elements with equal labels, over all labels that the output lacks",
        rows=codes.FLOATS,
        signatures=(
            Signature(
                "einsum",
                (
                    tensor("first", "T", (1, 4), "left factors"),
                    tensor("second", "T", (1, 4), "right factors"),
                    *(_declare_list(name, "a number for each dimension, equal ones are one index") for name in _LABELS),
                ),
            ),
        ),
        outputs=(Formal("output", "T", "sums"),),
        infer=_infer_einsum,
        rules=(
            Rule(
                f"{_EINSUM}/labels",
                "Each dimension has a label of its own within its operand, none negative, and the output has one or "
                "more, all of which occur in an input.",
                _labels_fit,
            ),
            Rule(f"{_EINSUM}/sizes", "Dimensions with one label have one size.", _sizes_fit),
        ),
    ),
    OperationDeclaration(
        type=codes.HYBRID_FULLY_CONNECTED,
        summary="input times dequantised weights, plus bias",
        rows=rows(
            *(
                (3, {"T": kind, "W": weights})
                for kind in (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16, codes.TENSOR_BFLOAT16)
                for weights in (T.TENSOR_QUANT8_SYMM, T.TENSOR_QUANT8_SYMM_PER_CHANNEL)
            )
        ),
        signatures=(
            Signature(
                "hybrid",
                (
                    tensor("input", "T", 2, "rows"),
                    tensor("weights", "W", 2, "units, terms: codes with one scale, or one for each unit"),
                    tensor("bias", "T", 1, "addend of each unit"),
                ),
            ),
        ),
        outputs=(Formal("output", "T", "rows of units"),),
        infer=lambda call: (OutputSpec((call["input"].dimensions[0], call["weights"].dimensions[0])),),
        rules=(
            Rule(f"{_HYBRID}/shapes", "Rows are as long as those of the weights; units have a bias.", _hybrid_fits),
            Rule(
                f"{_HYBRID}/weights.channel",
                "Scales of weights are those of units.",
                lambda call: call["weights"].channel_quant is None or call["weights"].channel_quant.channel_dim == 0,
            ),
        ),
    ),
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
        infer=_infer_resized,
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
        infer=_infer_quantized,
        zero_sized=ZeroSized.FAILS,
    ),
)
