"""Long chains of operations, and faults that a driver has in one of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel, element_type
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.types import FeatureLevel
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning

COLUMNS = 8
ROWS = 4
KINDS = (O.FULLY_CONNECTED, O.ADD, O.TANH, O.MUL, O.LOGISTIC, O.ADD)
SCALE = 1 / 32

planted: dict[str, Any] = {}
"""``constant``: bytes of the constant of the wrong operation; ``change``: its wrong result from the right one."""


def shifted(found: Array, step: float) -> Array:
    """One element is off."""
    wrong = found.copy()
    wrong.reshape(-1)[5] += step
    return wrong


CHANGES: tuple[Callable[[Array, float], Array], ...] = (
    shifted,
    lambda found, step: found + step,
    lambda found, _step: np.roll(found, 1, axis=-1),
)


def compute(meaning: Meaning, call: Invocation) -> Any:
    """The results of an operation, wrong where a fault is planted."""
    found = meaning.compute(call)
    held = [value.array.tobytes() for value in call.inputs if value.array is not None]
    if planted.get("constant") not in held:
        return found
    right = np.asarray(getattr(found, "array", found))
    step = 0.125 if call.is_float else 6
    return planted["change"](right, step)


class _Chain:
    """A chain in the making."""

    def __init__(self, kind: T, seed: int) -> None:
        self.graph, self.kind, self.rng = GraphBuilder(), kind, np.random.default_rng(seed)
        self.is_quantized = kind == T.TENSOR_QUANT8_ASYMM_SIGNED
        self.quantization = (SCALE, 3) if self.is_quantized else (0.0, 0)
        self.constants: list[bytes] = []

    def numbers(self, shape: tuple[int, ...], reach: float) -> Array:
        values = self.rng.uniform(-reach, reach, shape)
        if self.is_quantized:
            return np.clip(np.rint(values / SCALE) + self.quantization[1], -128, 127).astype(np.int8)
        return values.astype(element_type(self.kind))

    def constant(self, shape: tuple[int, ...], reach: float) -> int:
        values = self.numbers(shape, reach)
        self.constants[-1] = values.tobytes()
        return self.graph.constant(self.kind, shape, values, *self.quantization)

    def operation(self, operation: O, read: int, source: tuple[float, int], *, is_last: bool) -> tuple[int, Any]:
        graph, shape = self.graph, (ROWS, COLUMNS)
        self.constants.append(b"")
        target = self.quantization
        inputs = [read]
        if operation in (O.TANH, O.LOGISTIC):
            if self.is_quantized:
                target = (1 / 128, 0) if operation == O.TANH else (1 / 256, -128)
        elif operation == O.FULLY_CONNECTED:
            inputs.append(self.constant((COLUMNS, COLUMNS), 1.0))
            bias = T.TENSOR_INT32 if self.is_quantized else self.kind
            scale = source[0] * SCALE if self.is_quantized else 0.0
            inputs += [graph.constant(bias, (COLUMNS,), np.zeros(COLUMNS), scale), graph.scalar(T.INT32, 0)]
        else:
            inputs += [self.constant(shape, 1.0), graph.scalar(T.INT32, 0)]
        last = graph.output(self.kind, shape, np.zeros(shape), *target) if is_last else None
        written = graph.temporary(self.kind, shape, *target) if last is None else last
        graph.operation(operation, tuple(inputs), written)
        return written, target


def chain(kind: T, seed: int, count: int = 150) -> tuple[TestModel, list[bytes]]:
    """A chain of ``count`` operations, and the bytes of the constant of each, empty for those that have none."""
    made = _Chain(kind, seed)
    shape = (ROWS, COLUMNS)
    value, quantization = made.graph.input(kind, shape, made.numbers(shape, 1.0), *made.quantization), made.quantization
    for position in range(count):
        operation = KINDS[position % len(KINDS)]
        value, quantization = made.operation(operation, value, quantization, is_last=position == count - 1)
    return made.graph.finish(f"chain_{seed}", FeatureLevel.FL4), made.constants
