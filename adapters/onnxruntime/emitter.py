"""Collects the ONNX nodes of a graph whose shapes are all known.

16-bit floats are computed as 32-bit ones and rounded after every operation, which is what the contract asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from onnx import helper, numpy_helper

from nnvet.adapters.runtimes.claims import Graph, element_name
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Argument

_T = OperandType
OPSET: Final = 21
_IR_VERSION: Final = 10
"""The version of files that came with operator set 21."""


class OnnxEmitter:
    """An ONNX model in the making. Values are named; each is written once.

    ``operators`` are the place of the graph's operation and the operator of each node; whoever emits an operation sets
    ``place_of_operation`` before.
    """

    def __init__(self, graph: Graph) -> None:
        """Begin a model without nodes."""
        self._operands = {id(argument): index for index, argument in enumerate(graph.arguments)}
        self._stored: dict[int, str] = {}
        self._widened: dict[int, str] = {}
        self._inputs: dict[str, Any] = {}
        self._constants: list[Any] = []
        self._nodes: list[Any] = []
        self._count = 0
        self.place_of_operation = 0
        self.operators: list[tuple[int, str]] = []

    def stored(self, argument: Argument) -> str:
        """The value of an operand in its own type: a constant, an input of the model, or what a node has written."""
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

    def source(self, argument: Argument) -> str:
        """The value of an operand as nodes take it: 16-bit floats widened."""
        if argument.type != _T.TENSOR_FLOAT16:
            return self.stored(argument)
        operand = self._operands[id(argument)]
        if operand not in self._widened:
            if argument.constant:
                self._widened[operand] = self.constant(argument.array, "float32")
            else:
                self._widened[operand] = self.cast(self.stored(argument), "float32")
        return self._widened[operand]

    def permuted(self, argument: Argument, order: Sequence[int]) -> str:
        """The value of an operand with its dimensions in another order; of a constant, another constant."""
        if not argument.constant:
            return self.add("Transpose", self.source(argument), perm=list(order))
        dtype = element_name(self.computed_type(argument))
        return self.constant(np.transpose(argument.array, order), dtype)

    def put(self, argument: Argument, value: str) -> None:
        """Say which value an operand has; 16-bit floats are rounded."""
        half = argument.type == _T.TENSOR_FLOAT16
        self._stored[self._operands[id(argument)]] = self.cast(value, "float16") if half else value

    @staticmethod
    def computed_type(argument: Argument) -> OperandType:
        """The type in which an operand is computed."""
        return _T.TENSOR_FLOAT32 if argument.type == _T.TENSOR_FLOAT16 else OperandType(argument.type)

    def number(self, like: Argument, value: float) -> str:
        """A constant without dimensions, of the type in which ``like`` is computed."""
        return self.constant(value, element_name(self.computed_type(like)))

    def constant(self, value: npt.ArrayLike, dtype: str = "int64") -> str:
        """A constant; numbers of nodes' own parameters are int64."""
        name = self._name()
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(np.asarray(value, dtype)), name))
        return name

    def cast(self, value: str, dtype: str) -> str:
        """The value in another type."""
        return self.add("Cast", value, to=_element_type(dtype))

    def reshaped(self, value: str, shape: Sequence[int]) -> str:
        """The value in another shape."""
        return self.add("Reshape", value, self.constant(list(shape)))

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Append a node with one output, which is returned; an empty name among the inputs is an omitted one."""
        return self.add_all(operator, inputs, 1, **attributes)[0]

    def add_all(self, operator: str, inputs: Sequence[str], outputs: int, **attributes: Any) -> list[str]:
        """Append a node with several outputs."""
        names = [self._name() for _ in range(outputs)]
        name = node_name(len(self.operators))
        self.operators.append((self.place_of_operation, operator))
        self._nodes.append(helper.make_node(operator, list(inputs), names, name, **attributes))
        return names

    def place(self, argument: Argument) -> str:
        """The name of the value of an operand that no node writes or reads is empty."""
        return self._stored.get(self._operands[id(argument)], "")

    def is_input(self, name: str) -> bool:
        """Return True if the model has an input of this name."""
        return name in self._inputs

    def finish(self, outputs: Sequence[tuple[str, Argument]]) -> bytes:
        """The ONNX file, with the named outputs."""
        results = [_value_info(name, argument) for name, argument in outputs]
        graph = helper.make_graph(self._nodes, "model", list(self._inputs.values()), results, self._constants)
        opset = helper.make_opsetid("", OPSET)
        content: bytes = helper.make_model(
            graph, opset_imports=[opset], ir_version=_IR_VERSION, producer_name="nnvet"
        ).SerializeToString()
        return content

    def _input(self, name: str, argument: Argument, dtype: str) -> str:
        self._inputs[name] = helper.make_tensor_value_info(name, _element_type(dtype), argument.dimensions)
        return name

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"


def node_name(number: int) -> str:
    """The name of a node, by its number in the model."""
    return f"node{number}"


def _value_info(name: str, argument: Argument) -> Any:
    element = _element_type(element_name(argument.type))
    return helper.make_tensor_value_info(name, element, argument.dimensions)


def _element_type(dtype: str) -> int:
    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
