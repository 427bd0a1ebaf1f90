"""Collects the ONNX nodes of a graph whose shapes are all known.

16-bit floats are either computed as 32-bit ones and rounded after every operation, as the contract requires, or
computed directly.

Arithmetic on 8-bit codes is written in QDQ form: a DequantizeLinear before every operator and a QuantizeLinear after
it. Runtimes recognise the three as one operator on codes. Source of the form: ONNX Runtime's guide to quantisation,
"ONNX quantization representation format".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from onnx import helper, numpy_helper

from nnvet.adapters.runtimes.claims import Graph, element_name
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument

_T = OperandType
OPSET: Final = 21
"""Version of the operators, unless an operation needs a later one."""
IR_VERSION: Final = 10
"""Version of the file format that came with operator set 21."""
_MOVES: Final = ("Reshape", "Slice", "Transpose", "Unsqueeze")
"""Operators added around others. Each has its own QDQ form; otherwise the neighbouring operator would lose its form."""


@dataclass(frozen=True)
class Encoding:
    """The meaning of codes: one scale and zero point, or a scale for each element of an axis."""

    scales: tuple[float, ...]
    zero_point: int = 0
    axis: int | None = None

    @classmethod
    def of(cls, argument: Argument, factor: float = 1.0) -> Encoding:
        """Return the encoding of an operand's codes, all scales multiplied by ``factor``."""
        channels = argument.channel_quant
        if channels is None:
            return cls((argument.scale * factor,), argument.zero_point)
        return cls(tuple(scale * factor for scale in channels.scales), axis=channels.channel_dim)

    @property
    def attributes(self) -> dict[str, int]:
        """Attributes of QuantizeLinear and DequantizeLinear."""
        return {} if self.axis is None else {"axis": self.axis}

    def permuted(self, order: Sequence[int]) -> Encoding:
        """Return the encoding of the same codes with their dimensions in another order."""
        return replace(self, axis=None if self.axis is None else list(order).index(self.axis))


@dataclass(frozen=True)
class EncodedValue:
    """Codes that each reading node dequantises: the name of the value, its elements, the encoding."""

    value: str
    dtype: str
    encoding: Encoding


class OnnxEmitter:
    """Builder of an ONNX model. Values are named; each is written once.

    ``operators`` has, for each node, the position of its operation in the graph and its operator; callers set
    ``place_of_operation`` to that position before they emit an operation. With ``native_half`` 16-bit floats are
    computed directly; with ``moves_real_numbers`` codes have QDQ form even if they are only moved.
    """

    def __init__(self, graph: Graph, *, native_half: bool = False, moves_real_numbers: bool = False) -> None:
        """Begin a model without nodes."""
        self.moves_real_numbers = moves_real_numbers
        self._native_half = native_half
        self._codes: dict[str, EncodedValue] = {}
        self._result: Argument | None = None
        self._operands = {id(argument): index for index, argument in enumerate(graph.arguments)}
        self._stored: dict[int, str] = {}
        self._widened: dict[int, str] = {}
        self._inputs: dict[str, Any] = {}
        self._constants: dict[str, Any] = {}
        self._decoded: set[str] = set()
        self._nodes: list[Any] = []
        self._count = 0
        self._opset = OPSET
        self.place_of_operation = 0
        self.operators: list[tuple[int, str]] = []

    def need_opset(self, version: int) -> None:
        """Write the model in this version of the operators, or a later one that another operation needs."""
        self._opset = max(self._opset, version)

    def stored(self, argument: Argument) -> str:
        """Return the value of an operand in its own type: a constant, an input of the model, or a node's output."""
        operand = self._operands[id(argument)]
        if operand not in self._stored:
            dtype = element_name(argument.type)
            if argument.constant:
                self._stored[operand] = self.constant(argument.array, dtype)
            elif 0 in argument.dimensions:
                # Operations whose outputs have no elements add no nodes.
                self._stored[operand] = self.constant(np.empty(argument.dimensions), dtype)
            else:
                self._stored[operand] = self._input(f"input{operand}", argument, dtype)
        return self._stored[operand]

    @contextmanager
    def real_numbers(self, result: Argument) -> Iterator[None]:
        """Compute codes as the real numbers that they represent, in QDQ form, while the block runs.

        ``result`` is the output of the operation, whose encoding its real numbers get.
        """
        self._result = result
        try:
            yield
        finally:
            self._result = None

    @property
    def computes_real_numbers(self) -> bool:
        """Return True while codes are computed as real numbers."""
        return self._result is not None

    def source(self, argument: Argument) -> str:
        """Return the value of an operand as nodes read it: 16-bit floats widened, and codes perhaps as real numbers."""
        if self._is_code(argument):
            return self.decoded(self.stored(argument), argument.dtype, Encoding.of(argument))
        if argument.type != _T.TENSOR_FLOAT16 or self._native_half:
            return self.stored(argument)
        operand = self._operands[id(argument)]
        if operand not in self._widened:
            if argument.constant:
                self._widened[operand] = self.constant(argument.array, "float32")
            else:
                self._widened[operand] = self.cast(self.stored(argument), "float32")
        return self._widened[operand]

    def permuted(self, argument: Argument, order: Sequence[int]) -> str:
        """Return the value of an operand with its dimensions in another order; a constant becomes another constant."""
        if not argument.constant:
            return self.add("Transpose", self.source(argument), perm=list(order))
        turned = np.transpose(argument.array, order)
        if not self._is_code(argument):
            return self.constant(turned, element_name(self.computed_type(argument)))
        return self.decoded(
            self.constant(turned, argument.dtype), argument.dtype, Encoding.of(argument).permuted(order)
        )

    def put(self, argument: Argument, value: str) -> None:
        """Set the value of an operand; 16-bit floats are rounded, real numbers become codes."""
        is_code = self._is_code(argument)
        value = self._codes[self.settled(value, argument)].value if is_code else self._decode(value)
        if argument.type == _T.TENSOR_FLOAT16 and not self._native_half:
            value = self.cast(value, "float16")
        self._stored[self._operands[id(argument)]] = value

    def decoded(self, value: str, dtype: str, encoding: Encoding) -> str:
        """Return codes as real numbers; each node that reads them gets its own DequantizeLinear."""
        name = self._name()
        self._codes[name] = EncodedValue(value, dtype, encoding)
        return name

    def encoded(self, value: str, dtype: str, encoding: Encoding) -> str:
        """Return real numbers as codes, which are real numbers again as soon as a node reads them."""
        stored = self._node("QuantizeLinear", value, *self._scale(dtype, encoding), **encoding.attributes)
        return self.decoded(stored, dtype, encoding)

    def settled(self, value: str, argument: Argument) -> str:
        """Return real numbers rounded to the codes of ``argument``; values of other types stay unchanged."""
        if not self._is_code(argument):
            return value
        encoding, known = Encoding.of(argument), self._codes.get(value)
        if known is not None and (known.dtype, known.encoding) == (argument.dtype, encoding):
            return value
        return self.encoded(value, argument.dtype, encoding)

    def computed_type(self, argument: Argument) -> OperandType:
        """Return the type in which an operand is computed."""
        widened = argument.type == _T.TENSOR_FLOAT16 and not self._native_half
        return _T.TENSOR_FLOAT32 if widened or self._is_code(argument) else OperandType(argument.type)

    def number(self, like: Argument, value: float) -> str:
        """Return a constant without dimensions, of the type in which ``like`` is computed."""
        return self.constant(value, element_name(self.computed_type(like)))

    def element(self, like: Argument, value: float) -> str:
        """Return a constant without dimensions that is one element of ``like``; if ``like`` holds codes, a code."""
        if not self._is_code(like):
            return self.number(like, value)
        return self.number(like, (value - like.zero_point) * like.scale)

    def constant(self, value: npt.ArrayLike, dtype: str = "int64") -> str:
        """Return a constant; numbers of nodes' own parameters are int64."""
        name = self._name()
        self._constants[name] = numpy_helper.from_array(np.asarray(value, dtype, order="C"), name)
        return name

    def cast(self, value: str, dtype: str) -> str:
        """Return the value in another type."""
        return self.add("Cast", value, to=_element_type(dtype))

    def reshaped(self, value: str, shape: Sequence[int]) -> str:
        """Return the value in another shape."""
        return self.add("Reshape", value, self.constant(list(shape)))

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Append a node with one output, which is returned; an empty name among the inputs is an omitted one."""
        if self._result is None or operator not in _MOVES:
            return self._node(operator, *inputs, **attributes)
        first, *others = inputs
        if first not in self._codes:
            first = self.settled(first, self._result)
        codes = self._codes.get(first)
        moved = self._node(operator, first, *others, **attributes)
        if codes is None:
            return moved
        encoding = codes.encoding.permuted(attributes["perm"]) if operator == "Transpose" else codes.encoding
        return self.encoded(moved, codes.dtype, encoding)

    def add_all(self, operator: str, inputs: Sequence[str], outputs: int, **attributes: Any) -> list[str]:
        """Append a node with several outputs."""
        given = [self._decode(name) for name in inputs]
        names = [self._name() for _ in range(outputs)]
        name = node_name(len(self.operators))
        self.operators.append((self.place_of_operation, operator))
        self._nodes.append(helper.make_node(operator, given, names, name, **attributes))
        return names

    def _node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        return self.add_all(operator, inputs, 1, **attributes)[0]

    def _is_code(self, argument: Argument) -> bool:
        return self._result is not None and type_info(argument.type).is_quantized

    def _decode(self, name: str) -> str:
        """Return the value of an input of a node; codes are turned into real numbers by a node of their own."""
        codes = self._codes.get(name)
        if codes is None:
            return name
        value = self._own(codes.value)
        return self._node(
            "DequantizeLinear", value, *self._scale(codes.dtype, codes.encoding), **codes.encoding.attributes
        )

    def _own(self, name: str) -> str:
        """Return a copy of a constant for a DequantizeLinear: ONNX Runtime cannot rewrite one that two nodes read."""
        constant = self._constants.get(name)
        if constant is None or name not in self._decoded:
            self._decoded.add(name)
            return name
        copy = self._name()
        self._constants[copy] = numpy_helper.from_array(numpy_helper.to_array(constant), copy)
        return copy

    def _scale(self, dtype: str, encoding: Encoding) -> list[str]:
        """Return the scale and zero point as inputs of a node. Bias has no zero point, since ONNX allows only 0."""
        scales = np.array(encoding.scales, np.float32)
        if encoding.axis is None:
            scales = scales.reshape(())
        zeros = [] if dtype == "int32" else [self.constant(np.full(scales.shape, encoding.zero_point), dtype)]
        return [self.constant(scales, "float32"), *zeros]

    def place(self, argument: Argument) -> str:
        """Return the name of the value of an operand; it is empty if no node writes or reads it."""
        return self._stored.get(self._operands[id(argument)], "")

    def is_input(self, name: str) -> bool:
        """Return True if the model has an input of this name."""
        return name in self._inputs

    def finish(self, outputs: Sequence[tuple[str, Argument]]) -> bytes:
        """Return the ONNX file, with the named outputs."""
        results = [_value_info(name, argument) for name, argument in outputs]
        graph = helper.make_graph(
            self._nodes, "model", list(self._inputs.values()), results, list(self._constants.values())
        )
        opset = helper.make_opsetid("", self._opset)
        content: bytes = helper.make_model(
            graph, opset_imports=[opset], ir_version=IR_VERSION, producer_name="nnvet"
        ).SerializeToString()
        return content

    def _input(self, name: str, argument: Argument, dtype: str) -> str:
        self._inputs[name] = helper.make_tensor_value_info(name, _element_type(dtype), argument.dimensions)
        return name

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"


def node_name(number: int) -> str:
    """Return the name of a node, by its number in the model."""
    return f"node{number}"


def plain_name(name: str) -> str:
    """Return the name of a node without the ending that ONNX Runtime adds when it turns the node to another layout."""
    return name.partition("_token_")[0]


def _value_info(name: str, argument: Argument) -> Any:
    element = _element_type(element_name(argument.type))
    return helper.make_tensor_value_info(name, element, argument.dimensions)


def _element_type(dtype: str) -> int:
    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
