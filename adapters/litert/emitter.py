"""Collects the TFLite operators of a graph whose shapes are all known.

16-bit floats are computed as 32-bit ones and rounded after every operation, as the contract requires, because LiteRT
has hardly any kernels for them. The claims in ``forms.py``, ``movement.py``, ``numeric.py`` and ``products.py`` use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nnvet.adapters.runtimes.claims import Graph, element_name
from nnvet.formats.tflite.schema import TensorType
from nnvet.formats.tflite.writer import ModelWriter
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Argument

_T = OperandType
_HALF, _SINGLE = "float16", "float32"


class Emitter:
    """Builder of a TFLite model, whose tensors are numbered.

    ``operators`` has, for each operator, the position of its operation in the graph and its name; callers set
    ``place_of_operation`` to that position before they emit an operation.
    """

    def __init__(self, graph: Graph) -> None:
        """Begin a model without operators."""
        self.writer = ModelWriter()
        self._operands = {id(argument): index for index, argument in enumerate(graph.arguments)}
        # The arguments are kept alive, so that no other object gets the same id().
        self._adopted: list[Argument] = []
        self._stored: dict[int, int] = {}
        self._widened: dict[int, int] = {}
        self._narrowed: list[tuple[int, int]] = []
        self._count = 0
        self._apart: set[int] = set()
        self._states: dict[int, int] = {}
        self.beginnings: list[tuple[int, npt.NDArray[Any]]] = []
        """Tensors of states that are constants, with their values before each inference."""
        self.place_of_operation = 0
        self.operators: list[tuple[int, str]] = []

    def adopt(self, argument: Argument) -> None:
        """Add an operand that is not one of the graph's."""
        self._operands[id(argument)] = len(self._operands)
        self._adopted.append(argument)

    def stored(self, argument: Argument) -> int:
        """Return the tensor that holds an operand, in its own type."""
        operand = self._operands[id(argument)]
        if operand not in self._stored:
            value = argument.value if argument.constant else None
            self._stored[operand] = self._tensor(
                element_name(argument.type), argument.dimensions, argument, value, f"op{operand}"
            )
        return self._stored[operand]

    def source(self, argument: Argument) -> int:
        """Return the tensor of an operand as kernels read it, with 16-bit floats widened."""
        if argument.type != _T.TENSOR_FLOAT16:
            return self.stored(argument)
        operand = self._operands[id(argument)]
        if operand not in self._widened:
            if argument.constant:
                wide = self.constant(argument.array, _SINGLE)
            else:
                wide = self._tensor(_SINGLE, argument.dimensions)
                self._cast(self.stored(argument), wide, _HALF, _SINGLE)
            self._widened[operand] = wide
        return self._widened[operand]

    def target(self, argument: Argument) -> int:
        """Return the tensor that a kernel writes for an operand; 16-bit floats are rounded at the operation's end."""
        if argument.type != _T.TENSOR_FLOAT16:
            return self.stored(argument)
        wide = self._tensor(_SINGLE, argument.dimensions)
        self._narrowed.append((wide, self.stored(argument)))
        return wide

    def variable(self, before: Argument, after: Argument | None) -> int:
        """Return a tensor that keeps a state from one inference to the next, zero at first, for operands of the model.

        It holds the state ``before`` an inference and then the one ``after`` it.
        """
        operand = self._operands[id(before)]
        tensor = self.writer.tensor(f"op{operand}", before.dimensions, element_name(before.type), is_variable=True)
        if before.constant:
            self.beginnings.append((tensor, before.array))
        for argument in (before, after):
            if argument is not None:
                self.leave_out(argument)
                self._states[self._operands[id(argument)]] = tensor
        return tensor

    def leave_out(self, argument: Argument) -> None:
        """Leave an operand, a state or scratch, out of the inputs and outputs of the file."""
        self._apart.add(self._operands[id(argument)])

    def has_end(self, argument: Argument) -> bool:
        """Return True if an input or output of the model is also one of the file."""
        return self._operands[id(argument)] not in self._apart

    def place(self, argument: Argument) -> int | None:
        """Return the tensor that holds an operand, or a state; None if no operator reads or writes it."""
        operand = self._operands[id(argument)]
        return self._stored.get(operand, self._states.get(operand))

    def between(self, like: Argument, shape: Sequence[int]) -> int:
        """Return a tensor for a result that stays within the operation: of the type and quantisation of ``like``."""
        half = like.type == _T.TENSOR_FLOAT16
        return self._tensor(_SINGLE if half else element_name(like.type), shape, None if half else like)

    def constant(self, value: npt.ArrayLike, dtype: str = "int32", like: Argument | None = None) -> int:
        """Return a constant tensor, with the quantisation of ``like``."""
        array = np.asarray(value, dtype)
        return self._tensor(dtype, array.shape, like, array)

    def filled(self, like: Argument, number: float) -> int:
        """Return a constant of one element, as kernels take tensors like ``like``: a float, or a code."""
        half = like.type == _T.TENSOR_FLOAT16
        return self.constant([number], _SINGLE if half else element_name(like.type), None if half else like)

    def add(self, name: str, inputs: Sequence[int], outputs: int | Sequence[int], **options: Any) -> None:
        """Append an operator; -1 among the inputs is an omitted one."""
        self.operators.append((self.place_of_operation, name))
        self.writer.operator(name, inputs, [outputs] if isinstance(outputs, int) else outputs, **options)

    def end_operation(self) -> None:
        """Round the outputs of the operation."""
        for wide, narrow in self._narrowed:
            self._cast(wide, narrow, _SINGLE, _HALF)
        self._narrowed.clear()

    def _cast(self, source: int, target: int, of: str, to: str) -> None:
        self.add("CAST", [source], target, in_data_type=TensorType[of.upper()], out_data_type=TensorType[to.upper()])

    def _tensor(
        self,
        dtype: str,
        shape: Sequence[int],
        like: Argument | None = None,
        data: npt.NDArray[Any] | None = None,
        name: str = "",
    ) -> int:
        quantization: dict[str, Any] = {}
        if like is not None and like.channel_quant is not None:
            quantization = {"scale": like.channel_quant.scales, "axis": like.channel_quant.channel_dim}
        elif like is not None and like.scale and dtype != "int32":
            quantization = {"scale": like.scale, "zero_point": like.zero_point}
        elif like is not None and like.scale:
            quantization = {"scale": like.scale}
        self._count += 1
        value = None if data is None else np.asarray(data).astype(np.dtype(dtype))
        return self.writer.tensor(name or f"t{self._count}", shape, dtype, data=value, **quantization)
