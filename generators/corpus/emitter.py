"""Text of generated spec files in Android's specification language: operands, examples and whole files.

The modules of ``families/`` make an :class:`EmittedFile` for each spec file, and ``writing.py`` writes its text into
the bundled corpus (``conformance/specs``). This is the only module that writes the language; ``generators/specs`` reads
it. A family gives tensors with their values; scalars (``'Int32Scalar("activation", 0)'``, ``"1"``) and calls after an
example (``.AddRelaxed()``) stay Python text. The module also has short names for the operand types of the corpus, and
:class:`Source`, pseudo-random data that does not depend on the versions of libraries.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperandType

ONCE: Final = ".DisableLifeTimeVariation()"
FAILURE: Final = ".ExpectFailure()"
FAILS: Final = FAILURE + ONCE
RELAXED: Final = ".AddRelaxed()"
HALF: Final = '.AddVariations("float16")'
HALF_ONLY: Final = '.AddVariations("float16", includeDefault=False)'
ALL_FLOATS: Final = '.AddVariations("relaxed", "float16")'
"""Calls that follow an example, as Python text.

``ONCE`` prevents variations of the operands' lifetimes, ``FAILURE`` means that the execution has to fail, and ``FAILS``
is both. The others add the example in relaxed float32, in float16, or in both; ``HALF_ONLY`` replaces float32.
"""


@dataclass(frozen=True)
class SpecTensor:
    """A tensor of an example, or (without dimensions) a scalar.

    ``role`` is its class in the language, or "Omitted" for a constant without value. ``scales`` are those of the
    channels along dimension ``channel``, ``calls`` follow the operand.
    """

    type: OperandType
    dimensions: Sequence[int]
    values: Sequence[Any]
    scale: float = 0.0
    zero_point: int = 0
    role: str = "Input"
    scales: Sequence[float] = ()
    channel: int = 0
    calls: str = ""

    @property
    def is_fed(self) -> bool:
        """Return True if an example gives values for the tensor."""
        return self.role not in ("Parameter", "Internal", "Omitted")

    def code(self, name: str) -> str:
        """Return the line of the spec file that makes the operand."""
        parts = [f'"{self.type.name}"', str(list(self.dimensions))]
        if self.scale:
            parts += [repr(self.scale), str(self.zero_point)]
        role, value = self.role, ""
        if role == "Parameter":
            value = f", {literal(self.values)}"
        elif role == "Omitted":
            role, value = "Parameter", ", None"
        if self.scales:
            value += f", extraParams=SymmPerChannelQuantParams(channelDim={self.channel}, scales={list(self.scales)})"
        return f'{name} = {role}("{name}", ({", ".join(parts)}){value}){self.calls}'


Operand = SpecTensor | str
"""A tensor, or Python text that makes an operand or is its value."""


@dataclass(frozen=True)
class SpecCall:
    """One operation of a model. ``inputs`` are names of operands or Python text of values, ``outputs`` are names."""

    type: str
    inputs: Sequence[str]
    outputs: Sequence[str]

    @property
    def text(self) -> str:
        """Return the calls that add the operation to a model."""
        return f'.Operation("{self.type}", {", ".join(self.inputs)}).To({", ".join(self.outputs)})'


@dataclass(frozen=True)
class SpecExample:
    """One model with one example.

    ``name`` states the purpose of the example. ``operands`` are in the order of their declaration; those that are
    fed have their values in the example. ``calls`` follow the example, ``model_calls`` the model. ``comment`` is
    the line before it, without ``#``.
    """

    name: str
    operands: Mapping[str, Operand]
    operations: Sequence[SpecCall]
    calls: str = ""
    model_calls: str = ""
    comment: str = ""

    @property
    def text(self) -> str:
        """Return the lines of the example in the language."""
        lines = [f"# {self.comment}"] if self.comment else []
        lines += [v.code(k) if isinstance(v, SpecTensor) else f"{k} = {v}" for k, v in self.operands.items()]
        if len(self.operations) == 1:
            lines.append(f'model = Model("{self.name}"){self.operations[0].text}{self.model_calls}')
        else:
            lines.append(f'model = Model("{self.name}"){self.model_calls}')
            lines += [f"model{operation.text}" for operation in self.operations]
        fed = {key: value for key, value in self.operands.items() if isinstance(value, SpecTensor) and value.is_fed}
        data = [f"    {key}: {literal(tensor.values)}," for key, tensor in fed.items()]
        return "\n".join([*lines, "Example({", *data, f"}}, model=model){self.calls}"])


def to_the_unit(example: SpecExample) -> SpecExample:
    """Return the same example with an exact comparison of its 32-bit integers, which specs allow to be off by one.

    An operation EQUAL in the model compares each such output with its expected values; the outputs are its results.
    """
    operands, operations = dict(example.operands), list(example.operations)
    for name, tensor in example.operands.items():
        if isinstance(tensor, SpecTensor) and (tensor.type, tensor.role) == (OperandType.TENSOR_INT32, "Output"):
            wanted, equal = f"{name}_wanted", f"{name}_equal"
            operands[wanted] = replace(tensor, role="Parameter")
            operands[name] = replace(tensor, role="Internal")
            truth = SpecTensor(OperandType.TENSOR_BOOL8, tensor.dimensions, [1] * len(tensor.values), role="Output")
            operands[equal] = truth
            operations.append(SpecCall("EQUAL", [name, wanted], [equal]))
    return replace(example, name=f"{example.name}_to_the_unit", operands=operands, operations=operations)


@dataclass
class EmittedFile:
    """One spec file, ``FOLDER/NAME.mod.py``; the folder determines the HAL version of its examples."""

    folder: str
    name: str
    examples: list[SpecExample] = field(default_factory=list)

    @property
    def path(self) -> str:
        """Path of the file in the corpus."""
        return f"{self.folder}/{self.name}.mod.py"

    @property
    def text(self) -> str:
        """Return the whole file without the first line, which marks it as generated.

        :raises ValueError: an example has no name, or the name of another one.
        """
        names = [example.name for example in self.examples]
        if "" in names or len(set(names)) < len(names):
            raise ValueError(f"{self.path}: examples need a name each, not {names}")
        return "\n\n".join(example.text for example in self.examples) + "\n"

    def add(
        self,
        name: str,
        operation: str,
        inputs: Mapping[str, Operand],
        output: SpecTensor | Mapping[str, SpecTensor],
        calls: str = "",
    ) -> None:
        """Add an example of one operation; ``inputs`` are its operands by name, in their order."""
        outputs = {"output": output} if isinstance(output, SpecTensor) else output
        self.examples.append(
            SpecExample(name, {**inputs, **outputs}, [SpecCall(operation, list(inputs), list(outputs))], calls)
        )


def result(
    type_: OperandType, dimensions: Sequence[int], values: Sequence[Any], scale: float = 0.0, zero: int = 0
) -> SpecTensor:
    """Return an output with its expected values."""
    return SpecTensor(type_, dimensions, values, scale, zero, "Output")


def parameter(type_: OperandType, dimensions: Sequence[int], values: Sequence[Any]) -> SpecTensor:
    """Return a constant."""
    return SpecTensor(type_, dimensions, values, role="Parameter")


def conversion(label: str, targets: Mapping[str, tuple[OperandType, float, int]]) -> str:
    """Return a variation that gives the operands named in ``targets`` other types, scales and zero points."""
    pairs = [f'{name}: ("{type_.name}", {scale!r}, {zero})' for name, (type_, scale, zero) in targets.items()]
    return f'DataTypeConverter(name="{label}").Identify({{{", ".join(pairs)}}})'


def uniform_conversion(label: str, scale: float, zero_point: int) -> str:
    """Return a variation that gives all float tensors one quantised type; ``label`` names it."""
    return f'DataTypeConverter("{label}", scale={scale!r}, zeroPoint={zero_point})'


def variations(*alternatives: str, default: bool = True) -> str:
    """Return the call that adds a group of variations to an example; "" for no alternatives.

    Without ``default`` the example itself is not run, only its variations.
    """
    if not alternatives:
        return ""
    return f".AddVariations({', '.join(alternatives)}{'' if default else ', includeDefault=False'})"


def literal(values: Sequence[Any]) -> str:
    """Return Python text of a list; floats have as few digits as identify the float32 value."""
    return f"[{', '.join(map(_number, values))}]"


def _number(value: Any) -> str:
    if isinstance(value, int | np.integer):
        return str(int(value))
    if not math.isfinite(value):
        return f'float("{value}")'
    with np.errstate(over="raise"):
        return repr(float(str(np.float32(value))))


F32: Final = OperandType.TENSOR_FLOAT32
F16: Final = OperandType.TENSOR_FLOAT16
INT32: Final = OperandType.TENSOR_INT32
BOOL8: Final = OperandType.TENSOR_BOOL8
Q8: Final = OperandType.TENSOR_QUANT8_ASYMM
Q8S: Final = OperandType.TENSOR_QUANT8_ASYMM_SIGNED
Q8_SYMM: Final = OperandType.TENSOR_QUANT8_SYMM
PER_CHANNEL: Final = OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL
Q16A: Final = OperandType.TENSOR_QUANT16_ASYMM
Q16S: Final = OperandType.TENSOR_QUANT16_SYMM

QUANTIZED: Final = (Q8, Q8S)
"""Types in which most quantised examples exist."""
RANGES: Final = {Q8: (0, 255), Q8S: (-128, 127)}
"""Lowest and highest code by type."""
LABELS: Final = {
    Q8: "quant8",
    Q8S: "quant8_signed",
    F32: "float",
    F16: "float16",
    INT32: "int32",
    BOOL8: "bool",
    Q8_SYMM: "quant8_symm",
}
"""Words for types in the names of examples."""
FOLDERS: Final = {1: "V1_0", 2: "V1_1", 3: "V1_2", 4: "V1_3", 6: "AIDL_V2", 7: "AIDL_V3"}
"""Folders of specs by feature level."""


class Source:
    """A sequence of pseudo-random numbers."""

    def __init__(self, seed: int) -> None:
        """Start a sequence; equal seeds give equal sequences."""
        self.state = seed * 7919 + 12345

    def integers(self, low: int, high: int, count: int) -> list[int]:
        """Return integers from ``low`` to ``high``, both included."""
        return [low + next(self) % (high - low + 1) for _ in range(count)]

    def floats(self, low: float, high: float, count: int, step: float = 1 / 16) -> list[float]:
        """Return multiples of ``step``, which float16 can hold."""
        return [i * step for i in self.integers(math.ceil(low / step), math.floor(high / step), count)]

    def __iter__(self) -> Iterator[int]:
        """Return the source itself."""
        return self

    def __next__(self) -> int:
        """Return the next number of 16 bits (the upper half of a linear congruential generator)."""
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return self.state >> 15
