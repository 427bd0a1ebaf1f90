"""Folding of ONNX operators between DequantizeLinear and QuantizeLinear into quantised operations of the contract.

Exporters write an operation in 8 bits in this form (QDQ). If an operator reads only codes, and its result
is quantised at once, one quantised operation takes the place of all these nodes. Elsewhere the contract's DEQUANTIZE
and QUANTIZE stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import ModelFileError
from nnvet.formats.onnx import linear
from nnvet.formats.onnx.context import CODES, NodeContext, OnnxNode
from nnvet.formats.onnx.quantised import MOVING, QUANTIZE
from nnvet.formats.tflite.context import Quantization
from nnvet.hal.errors import HalError
from nnvet.hal.types import FusedActivationFunc, OperandType, SymmPerChannelQuantParams
from nnvet.hal.types import OperationType as O

FOLDED: Final = MOVING | frozenset(
    [
        "Add",
        "AveragePool",
        "Conv",
        "ConvTranspose",
        "Gemm",
        "GlobalAveragePool",
        "HardSwish",
        "MatMul",
        "Max",
        "Min",
        "Mul",
        "Relu",
        "Sigmoid",
        "Softmax",
        "Sub",
        "Tanh",
    ]
)
"""Operators that have a quantised form."""
_FUSES: Final = frozenset(["Add", "Conv", "ConvTranspose", "Gemm", "MatMul", "Mul", "Sub"])
"""Operators whose quantised operation can apply a fused activation."""
_SHIFT: Final = 128
"""Difference of the uint8 and the int8 code of a number."""
_RELU6: Final = (0.0, 6.0)
"""Bounds of a Clip that is a RELU6."""


_MOVES: Final = (O.RESHAPE, O.TRANSPOSE, O.GATHER, O.SLICE, O.STRIDED_SLICE)
"""Operations whose result has the scale of the input, since they only move elements."""
_PRODUCTS: Final = (
    O.AVERAGE_POOL_2D,
    O.BATCH_MATMUL,
    O.CONV_2D,
    O.DEPTHWISE_CONV_2D,
    O.FULLY_CONNECTED,
    O.GROUPED_CONV_2D,
    O.MAX_POOL_2D,
    O.TRANSPOSE_CONV_2D,
)
"""Operations whose result may be reordered or reshaped before it becomes the output."""


@dataclass(frozen=True)
class CodesContext(NodeContext):
    """One node on codes. ``targets`` are the names of the quantised outputs, ``fused`` the activation before them."""

    targets: tuple[str, ...] = ()
    fused: int = FusedActivationFunc.NONE

    def input(self, position: int) -> int:
        """Return the operand of an input, which holds its codes if a DequantizeLinear made the input."""
        name = self.input_names[position]
        codes = self.conversion.reals.get(name)
        if codes is None:
            return super().input(position)
        if codes in self.conversion.constants:
            return self._codes(position, self.conversion.constants[codes])
        return self.conversion.operands[codes]

    def moved(self, position: int, order: Sequence[int], added: tuple[int, ...] = ()) -> int:
        """Return constant codes with their dimensions in another order."""
        name = self.input_names[position]
        codes = self.conversion.constants.get(self.conversion.reals.get(name, ""))
        if codes is None:
            self.fail("the weights are no constant codes")
        ordered = np.expand_dims(codes.transpose(order), added)
        kept = [place for place in range(ordered.ndim) if place not in added]
        return self._codes(position, ordered, kept[order.index(self.conversion.scales[name].axis)])

    def _codes(self, position: int, codes: npt.NDArray[Any], channel: int = 0) -> int:
        """Return constant codes in the type of the first computed input, or symmetric ones if channels have scales."""
        scale, zero, _ = self.conversion.scales[self.input_names[position]]
        kind, shift = self._kind(), 0
        if codes.dtype.name not in CODES or scale.ndim > 1:
            self.fail("only codes of 8 bits, with scales by channel or for all, have quantised operations")
        if scale.size > 1:
            shift = _SHIFT if codes.dtype == np.uint8 else 0
            if (zero != shift).any():
                self.fail("codes with scales by channel are not symmetric")
            parameters = SymmPerChannelQuantParams(tuple(map(float, scale)), channel)
            symmetric = codes.astype(np.int16) - shift
            return self.graph.constant(
                OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL, symmetric, Quantization(0.0, 0, parameters)
            )
        if kind != CODES[codes.dtype.name]:
            shift = -_SHIFT if codes.dtype == np.uint8 else _SHIFT
        quantization = Quantization(float(scale.reshape(())), int(zero.reshape(())) + shift)
        return self.graph.constant(kind, codes.astype(np.int16) + shift, quantization)

    def _kind(self) -> OperandType:
        """Return the type of the codes that are computed."""
        computed = [self.conversion.operands.get(self.conversion.reals.get(name, "")) for name in self.input_names]
        found = [self.type_of(index) for index in computed if index is not None]
        return found[0] if found else self.fail("no input is computed")

    def bias(self, position: int, weights: int, count: int) -> int:
        """Return the bias as INT32 codes, whose scale is the product of the scales of input and weights."""
        source, filters = self.graph.arguments[self.input(0)], self.graph.arguments[weights]
        channel = filters.channel_quant
        steps = np.float32(source.scale) * np.asarray(
            [filters.scale] if channel is None else channel.scales, np.float32
        )
        scale = 0.0 if channel is not None else float(steps[0])
        codes = np.zeros(count)
        if self.has(position):
            array = self.array(position)
            if array is None:
                self.fail("the bias is computed")
            codes = np.rint(array.astype(np.float64) / steps)
        if np.abs(codes).max() >= 2.0**31:
            self.fail("the bias does not fit 32 bits")
        return self.graph.constant(OperandType.TENSOR_INT32, codes, Quantization(scale))

    def activation(self) -> int:
        """Return the fused activation of the node."""
        return self.i32(self.fused)

    def number(self, value: Any, like: int) -> int:
        """Refuse numbers that have no scale.

        :raises ModelFileError: always, but for integers.
        """
        if self.type_of(like) != OperandType.TENSOR_INT32:
            self.fail("a number has no scale")
        return super().number(value, like)

    def new(self, kind: O, inputs: Sequence[int], like: int | None = None) -> int:
        """Return an intermediate result with the scale of the input; of the output if it is only moved afterwards."""
        if kind in _MOVES or self.type_of(inputs[0]) not in CODES.values():
            return super().new(kind, inputs, like)
        if kind not in _PRODUCTS:
            self.fail(f"{kind.name} in between has no scale")
        target = self.conversion.quantizations[self.targets[0]]
        index = self.graph.tensor(self.type_of(inputs[0]), (), target)
        self.emit(kind, inputs, [index])
        return index

    def output(self, position: int = 0, quantization: Quantization | None = None) -> int:
        """Return the operand of a quantised output."""
        name = self.targets[position]
        found = quantization or self.conversion.quantizations[name]
        index = self.graph.tensor(CODES[self.conversion.types[name]], (), found)
        self.conversion.operands[name] = index
        return index


def product(context: NodeContext) -> None:
    """Multiply codes by a constant matrix: FULLY_CONNECTED, or a 1 x 1 convolution if channels have scales."""
    if context.array(1) is None:
        if context.operator == "Gemm":
            context.fail("both factors are computed")
        linear.matmul(context)
        return
    is_plain = all(context.attribute(name, 1.0) == 1 for name in ("alpha", "beta")) and not context.attribute(
        "transA", 0
    )
    if not is_plain or len(context.shape(1)) != 2:  # noqa: PLR2004 - a matrix
        context.fail("it is no plain product with a matrix")
    order = (0, 1) if context.attribute("transB", 0) else (1, 0)
    *outer, inner = context.shape(0)
    if context.conversion.scales[context.input_names[1]].scale.size == 1:
        weights = context.moved(1, order)
        count = context.graph.arguments[weights].dimensions[0]
        inputs = [context.input(0), weights, context.bias(2, weights, count), context.activation()]
        found = context.new(O.FULLY_CONNECTED, inputs)
    else:
        image = context.reshaped(context.input(0), [math.prod(outer), inner, 1, 1])
        weights = context.moved(1, order, (1, 2))
        count = context.graph.arguments[weights].dimensions[0]
        numbers = map(context.i32, (0, 0, 0, 0, 1, 1))
        ends = [context.activation(), context.flag(True)]
        found = context.new(O.CONV_2D, [image, weights, context.bias(2, weights, count), *numbers, *ends])
    context.emit(O.RESHAPE, [found, context.ints([*outer, count])])


def fold(
    context: NodeContext, convert: Callable[[NodeContext], None], readers: Mapping[str, Sequence[OnnxNode]]
) -> set[int] | None:
    """Convert a node to a quantised operation; return the ids of the nodes that went into it, None if there is none.

    ``readers`` are the nodes that read a value; a graph's outputs have one more. An operator for which
    the contract has no quantised operation is computed in float, as the graph says.
    """
    names = [name for name in context.input_names if context.conversion.types.get(name, "").startswith("float")]
    is_coded = names and all(name in context.conversion.reals for name in names if name not in _list_biases(context))
    if context.operator not in FOLDED or not is_coded:
        return None
    targets, fused, gone = [], FusedActivationFunc.NONE, set()
    for name in context.output_names:
        chain = _follow_chain(context, name, readers)
        if chain is None:
            return None
        target, fused, nodes = chain
        targets.append(target)
        gone |= nodes
    codes = CodesContext(context.conversion, context.node, tuple(targets), fused)
    saved = context.graph.savepoint()
    try:
        (product if context.operator in ("Gemm", "MatMul") else convert)(codes)
    except (ModelFileError, HalError):
        context.graph.restore(saved)
        for name in targets:
            context.conversion.operands.pop(name, None)
        return None
    return gone


def _list_biases(context: NodeContext) -> Sequence[str]:
    """Return the names of inputs that need not be codes."""
    return context.input_names[2:] if context.operator in ("Conv", "ConvTranspose", "Gemm") else ()


def _follow_chain(
    context: NodeContext, name: str, readers: Mapping[str, Sequence[OnnxNode]]
) -> tuple[str, FusedActivationFunc, set[int]] | None:
    """Return the quantised name of an output, the activation on the way there, and the ids of the nodes on it."""
    found, fused = set(), FusedActivationFunc.NONE
    while len(readers.get(name, ())) == 1:
        (node,) = readers[name]
        found.add(id(node))
        if node.operator == QUANTIZE:
            is_known = node.inputs[0] == name and node.outputs[0] in context.conversion.quantizations
            return (node.outputs[0], fused, found) if is_known else None
        activation = _activation(context, node)
        if activation is None or fused or context.operator not in _FUSES:
            return None
        fused, name = activation, node.outputs[0]
    return None


def _activation(context: NodeContext, node: OnnxNode) -> FusedActivationFunc | None:
    """Return the code of a node that is an activation and can be fused, else None."""
    if node.operator == "Relu":
        return FusedActivationFunc.RELU
    ends = [node.attributes.get(name) for name in ("min", "max")]
    for place, name in enumerate(node.inputs[1:]):
        array = context.conversion.constants.get(name)
        ends[place] = None if array is None else float(array.reshape(()))
    return FusedActivationFunc.RELU6 if node.operator == "Clip" and tuple(ends) == _RELU6 else None
