"""The form of the importer's cases: one operator with its tensors, as a .tflite file and inputs for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnvet.formats.tflite.writer import ModelWriter


@dataclass(frozen=True, eq=False)
class T:
    """A tensor of a case: an input unless it has a value, is variable, or is an output."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    scale: Any = ()
    zero_point: int = 0
    axis: int = 0
    value: Any = None
    variable: bool = False
    positive: bool = False


@dataclass(frozen=True, eq=False)
class Case:
    """One operator: its tensors (None: omitted), its options, and how far 8-bit codes may be apart."""

    operator: str
    inputs: list[T | None]
    outputs: list[T]
    options: dict[str, Any] = field(default_factory=dict)
    codes: int = 1
    version: int = 1
    name: str = ""

    def __str__(self) -> str:
        """Operator, type of the first input and name, as the id of the test."""
        first = self.inputs[0].dtype if self.inputs[0] else ""
        return " ".join(filter(None, (self.operator, first, self.name)))


def f(*shape: int) -> T:
    """A float tensor."""
    return T(shape)


def pos(*shape: int) -> T:
    """A float tensor of positive numbers."""
    return T(shape, positive=True)


def q(*shape: int, scale: float = 0.05, zp: int = 120, dtype: str = "uint8") -> T:
    """A uint8 tensor."""
    return T(shape, dtype, scale, zp)


def s(*shape: int, scale: float = 0.05, zp: int = -3) -> T:
    """An int8 tensor."""
    return T(shape, "int8", scale, zp)


def i32(*shape: int) -> T:
    """An int32 tensor."""
    return T(shape, "int32")


def b(*shape: int) -> T:
    """A bool tensor."""
    return T(shape, "bool")


def c(value: Any, dtype: str = "int32", **quantization: Any) -> T:
    """A constant."""
    array = np.asarray(value, dtype=dtype)
    return T(array.shape, dtype, value=array, **quantization)


def w(*shape: int, seed: int = 1, scale: float = 0.5) -> T:
    """A float constant of random numbers."""
    return c(np.random.default_rng(seed).normal(0, scale, shape), "float32")


def w8(*shape: int, dtype: str = "uint8", seed: int = 2, **quantization: Any) -> T:
    """An 8-bit constant of random codes."""
    info = np.iinfo(dtype)
    return c(np.random.default_rng(seed).integers(max(info.min, -127), info.max, shape), dtype, **quantization)


def bias(count: int, seed: int = 3) -> T:
    """An int32 constant of random numbers with scale 0.001 (that of 0.05 * 0.02)."""
    return c(np.random.default_rng(seed).integers(-2000, 2000, count), "int32", scale=0.001)


def state(*shape: int) -> T:
    """A variable tensor."""
    return T(shape, variable=True)


def build(case: Case) -> tuple[bytes, list[T]]:
    """The case as a file, and its inputs."""
    writer = ModelWriter()
    indexes: list[int] = []
    given: list[tuple[int, T]] = []
    for number, tensor in enumerate(case.inputs):
        if tensor is None:
            indexes.append(-1)
            continue
        quantization = {"scale": tensor.scale, "zero_point": tensor.zero_point, "axis": tensor.axis}
        index = writer.tensor(
            f"in{number}", tensor.shape, tensor.dtype, data=tensor.value, is_variable=tensor.variable, **quantization
        )
        indexes.append(index)
        if tensor.value is None and not tensor.variable:
            given.append((index, tensor))
    if not given:
        # A model needs an input, even if the operator has constants alone.
        extra = f(1)
        given.append((writer.tensor("unused", extra.shape), extra))
        writer.operator("ABS", [given[0][0]], [writer.tensor("unused_too", (1,))])
    outputs = [
        writer.tensor(f"out{n}", t.shape, t.dtype, scale=t.scale, zero_point=t.zero_point)
        for n, t in enumerate(case.outputs)
    ]
    writer.operator(case.operator, indexes, outputs, version=case.version, **case.options)
    return writer.finish([index for index, _ in given], outputs), [tensor for _, tensor in given]


def random_input(tensor: T, rng: np.random.Generator) -> Any:
    """Values of the tensor's type; floats around 0, or positive where the operator wants that."""
    if tensor.dtype.startswith("float"):
        values = rng.normal(0, 2, tensor.shape)
        return (np.abs(values) + 0.1 if tensor.positive else values).astype(tensor.dtype)
    if tensor.dtype == "bool":
        return rng.integers(0, 2, tensor.shape).astype(bool)
    low, high = (-9, 10) if tensor.dtype == "int32" else (np.iinfo(tensor.dtype).min, np.iinfo(tensor.dtype).max + 1)
    return rng.integers(low, high, tensor.shape).astype(tensor.dtype)
