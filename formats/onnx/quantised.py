"""Quantised ONNX graphs: values that hold codes, and the operators that convert between codes and numbers.

A tensor of 8-bit codes with one scale becomes a quantised tensor of the contract. Other integers with scales stay
integers and are converted to real numbers by several operations.
:mod:`nnvet.formats.onnx.codes` folds these operators into quantised operations, where the contract has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import ModelFileError
from nnvet.formats.onnx.context import CODES, CodeScales, NodeContext, OnnxConversion, OnnxNode, along
from nnvet.formats.onnx.elementwise import rounded
from nnvet.formats.tflite.context import Quantization
from nnvet.hal.types import OperationType as O

QUANTIZE: Final = "QuantizeLinear"
DEQUANTIZE: Final = "DequantizeLinear"
MOVING: Final = frozenset(
    [
        "Concat",
        "DepthToSpace",
        "Flatten",
        "Gather",
        "GlobalMaxPool",
        "Identity",
        "MaxPool",
        "Reshape",
        "Resize",
        "Slice",
        "SpaceToDepth",
        "Split",
        "Squeeze",
        "Transpose",
        "Unsqueeze",
        "Upsample",
    ]
)
"""Operators that return codes if they read codes; they run on codes even where nothing is dequantised."""


def without_qlinear(nodes: Sequence[OnnxNode], conversion: OnnxConversion) -> list[OnnxNode]:
    """Return the nodes, with each QLinear operator as DequantizeLinear, Conv or MatMul, and QuantizeLinear."""
    found: list[OnnxNode] = []
    for node in nodes:
        if node.operator not in ("QLinearConv", "QLinearMatMul"):
            found.append(node)
            continue
        reals = [f"{node.outputs[0]}/{place}" for place in range(4)]
        first, second, target = node.inputs[:3], node.inputs[3:6], node.inputs[6:8]
        conversion.types.update(dict.fromkeys(reals, "float32"))
        read = [reals[0], reals[1]]
        found += [_make_dequantizer(node, first, reals[0], 1), _make_dequantizer(node, second, reals[1], 0)]
        if len(node.inputs) > 8 and node.inputs[8]:  # noqa: PLR2004 - the bias
            scales = [conversion.constants.get(name) for name in (first[1], second[1])]
            if scales[0] is not None and scales[1] is not None:
                conversion.constants[f"{reals[2]}/scale"] = scales[0].reshape(-1) * scales[1].reshape(-1)
            found.append(_make_dequantizer(node, (node.inputs[8], f"{reals[2]}/scale"), reals[2], 0))
            read.append(reals[2])
        operator = node.operator.removeprefix("QLinear")
        found.append(OnnxNode(node.name, operator, tuple(read), (reals[3],), node.attributes))
        found.append(OnnxNode(node.name, QUANTIZE, (reals[3], *target), node.outputs, {}))
    return found


def _make_dequantizer(node: OnnxNode, inputs: Sequence[str], output: str, axis: int) -> OnnxNode:
    return OnnxNode(node.name, DEQUANTIZE, tuple(inputs), (output,), {"axis": axis})


def find_quantizations(nodes: Sequence[OnnxNode], conversion: OnnxConversion) -> None:
    """Enter the quantisations of all values that hold codes of 8 bits with one scale.

    :raises ModelFileError: a value has two scales or zero points.
    """
    known = conversion.quantizations
    for node in nodes:
        if node.operator in (QUANTIZE, DEQUANTIZE):
            codes = node.outputs[0] if node.operator == QUANTIZE else node.inputs[0]
            _enter(conversion, codes, _single(node, conversion))
    moves = [node for node in nodes if node.operator in MOVING]
    for node in moves[::-1]:
        _enter(conversion, node.inputs[0], known.get(node.outputs[0]))
    for node in moves:
        for name in node.outputs:
            _enter(conversion, name, known.get(node.inputs[0]))


def _enter(conversion: OnnxConversion, name: str, found: Quantization | None) -> None:
    if found is None or conversion.types.get(name) not in CODES or name in conversion.constants:
        return
    if conversion.quantizations.setdefault(name, found) != found:
        raise ModelFileError(f"{conversion.source}: {name} is read with two scales or zero points")


def _parameters(node: OnnxNode, conversion: OnnxConversion) -> tuple[npt.NDArray[Any], npt.NDArray[Any]] | None:
    """Return constant scales and zero points."""
    scale = conversion.constants.get(node.inputs[1])
    has_zero = len(node.inputs) > 2 and node.inputs[2] != ""  # noqa: PLR2004 - the third
    zero = conversion.constants.get(node.inputs[2]) if has_zero else np.zeros((), np.uint8)
    return None if scale is None or zero is None else (scale.astype(np.float32), zero.astype(np.int32))


def _single(node: OnnxNode, conversion: OnnxConversion) -> Quantization | None:
    """Return scale and zero point, if there is only one of each."""
    found = _parameters(node, conversion)
    if found is None or found[0].size != 1 or found[1].size != 1 or float(found[0].reshape(())) <= 0:
        return None
    return Quantization(float(found[0].reshape(())), int(found[1].reshape(())))


def _broadcast_parameters(context: NodeContext, position: int, shape: Sequence[int]) -> int:
    """Return scales or zero points as an operand that broadcasts against a shape."""
    array = context.array(position)
    sizes = context.shape(position)
    if sizes == (1,):
        return context.input(position)
    if array is None or array.ndim != 1:
        context.fail("scales and zero points by blocks, or computed ones by axis, have no form in the contract")
    axis = context.axis(context.attribute("axis", 1), len(shape))
    return context.constant(along(array, axis, len(shape)))


def quantize(context: NodeContext) -> None:
    """Turn numbers into codes by QUANTIZE, or by several operations if QUANTIZE lacks the types."""
    source, name = context.input(0), context.output_names[0]
    if name in context.conversion.quantizations:
        context.emit(O.QUANTIZE, [source])
        return
    kind = context.conversion.types[name]
    if not kind.startswith(("int", "uint")):
        context.fail(f"codes of {kind} have no form in the contract")
    limits = _limits(kind)
    whole = rounded(context, context.new(O.DIV, [source, _broadcast_parameters(context, 1, context.shape(0))]))
    low = context.new(O.MAXIMUM, [whole, context.number(-(2.0**20), source)])
    codes = context.new(O.CAST, [context.new(O.MINIMUM, [low, context.number(2.0**20, source)])], context.ints([0]))
    if context.has(2):
        codes = context.new(O.ADD, [codes, _broadcast_parameters(context, 2, context.shape(0))])
    codes = context.new(O.MAXIMUM, [codes, context.ints([limits[0]])])
    context.emit(O.MINIMUM, [codes, context.ints([limits[1]])])


def _limits(kind: str) -> tuple[int, int]:
    bits = int(kind.lstrip("uint"))
    return (0, 2**bits - 1) if kind.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def dequantize(context: NodeContext) -> None:
    """Turn codes into numbers: constants at once, others by DEQUANTIZE when needed, or by several operations."""
    conversion, name, real = context.conversion, context.input_names[0], context.output_names[0]
    target = conversion.types[real]
    if name in conversion.constants:
        codes = conversion.constants[name]
        scales = conversion.scales[real] = _read_scales(context, codes)
        conversion.constants[real] = _dequantize_constant(context, codes, scales).astype(target)
        conversion.reals[real] = name
        return
    like = context.graph.constant(context.hal_type(target), [0])
    if name in conversion.quantizations:
        conversion.reals[real] = name
        return
    held = context.input(0)
    if context.has(2):
        held = context.new(O.SUB, [held, _broadcast_parameters(context, 2, context.shape(0))])
    number = context.new(O.CAST, [held], like)
    context.emit(O.MUL, [number, _broadcast_parameters(context, 1, context.shape(0))])


def _read_scales(context: NodeContext, codes: npt.NDArray[Any]) -> CodeScales:
    found = _parameters(context.node, context.conversion)
    if found is None:
        context.fail("scale or zero point of constant codes are computed")
    scale, zero = found
    axis = context.axis(context.attribute("axis", 1), codes.ndim) if scale.size > 1 else 0
    return CodeScales(scale, zero, axis)


def _dequantize_constant(context: NodeContext, codes: npt.NDArray[Any], scales: CodeScales) -> npt.NDArray[Any]:
    """Return the numbers behind constant codes."""
    size, axis = context.attribute("block_size", 0), scales.axis
    parts = []
    for given in (scales.scale, scales.zero):
        if given.size == 1:
            parts.append(given.reshape(()))
        elif given.ndim == 1:
            parts.append(along(given, axis, codes.ndim))
        else:
            parts.append(np.repeat(given, size, axis))
    real: npt.NDArray[Any] = (codes.astype(np.int32) - parts[1]) * parts[0]
    return real
