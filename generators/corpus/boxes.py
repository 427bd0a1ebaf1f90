"""Spec files of operations on boxes: :class:`BoxFiles` writes each example in all types.

Modules of ``families/`` use it for detection, proposals, keypoints and regions of interest, with cases from
:func:`steady`. Real numbers are multiples of the scales below, so that conversion does not change them. Decisions, such
as the choice of a box or of the largest cell, stay the same if all numbers change a little, so that no driver has to
round exactly as the reference does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from nnvet.generators.corpus import emitter
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations.invocation import Tensor

T = TypeVar("T")

SCALES = {"score": (1 / 128, 0), "delta": (1 / 16, 128), "cell": (1 / 16, 128)}
"""Scale and unsigned zero point of 8-bit operands, by their role."""
COORDINATES = {"box": emitter.Q16A, "anchor": emitter.Q16S}
"""Types of coordinates beside 8-bit operands, with scale 0.125 and zero point 0."""
RELAXED_AND_HALF = ('"relaxed"', '"float16"')
LAYOUT = 'BoolScalar("layout", False)'
SHAKES = 6
"""Number of times that :func:`steady` changes all numbers of a case."""
RELATIVE, ABSOLUTE = 0.004, 0.002
"""Distances by which :func:`steady` moves numbers."""


def given(values: Sequence[float], *dimensions: int, role: str = "Input") -> emitter.SpecTensor:
    """Return a float input."""
    return emitter.SpecTensor(emitter.F32, dimensions, values, role=role)


def indices(*values: int, role: str = "Parameter") -> emitter.SpecTensor:
    """Return a list of integers, constant unless said otherwise."""
    return emitter.SpecTensor(emitter.INT32, [len(values)], values, role=role)


def expected(values: Sequence[Any], *dimensions: int, kind: OperandType = emitter.F32) -> emitter.SpecTensor:
    """Return an output."""
    return emitter.SpecTensor(kind, dimensions, values, role="Output")


@dataclass
class BoxFiles:
    """The files of one operation: one for the types of level 3, one for signed codes, one for failures.

    ``roles`` gives the role of each operand of variable type, a key of :data:`SCALES` or :data:`COORDINATES`.
    ``layout`` are the operands that have a data layout, including the flag. ``codes`` is True if there are 8-bit types.
    """

    operation: str
    roles: Mapping[str, str]
    layout: Sequence[str] = ()
    codes: bool = True
    folders: dict[str, emitter.EmittedFile] = field(default_factory=dict)

    def add(
        self,
        name: str,
        inputs: Mapping[str, emitter.Operand],
        outputs: Mapping[str, emitter.SpecTensor],
        *,
        lifetimes: bool = False,
    ) -> None:
        """Add an example in all types and layouts; with ``lifetimes`` also with other lifetimes of its operands.

        Its integers are also compared exactly, in a second example.
        """
        layouts = f".AddNchw({', '.join(self.layout)})" if self.layout else ""
        last = "" if lifetimes else emitter.ONCE
        quant8 = [self._conversion(emitter.Q8)] if self.codes else []
        types = emitter.variations(*RELAXED_AND_HALF, *quant8)
        self._file("V1_2", "").add(name, self.operation, inputs, outputs, layouts + types + last)
        if self.codes:
            signed = emitter.variations(self._conversion(emitter.Q8S), default=False)
            file = self._file("V1_3", "_quant8_signed")
            file.add(name, self.operation, inputs, outputs, layouts + signed + last)
        exact = emitter.EmittedFile("", "")
        exact.add(name, self.operation, inputs, outputs, emitter.ONCE)
        if any(
            tensor.type == emitter.INT32 and tensor.role == "Output" and tensor.values for tensor in outputs.values()
        ):
            self._file("V1_2", "_to_the_unit").examples += map(emitter.to_the_unit, exact.examples)

    def add_failing(
        self,
        name: str,
        inputs: Mapping[str, emitter.Operand],
        outputs: Mapping[str, emitter.SpecTensor],
        **changes: emitter.Operand,
    ) -> None:
        """Add an example that fails because ``changes`` replace some inputs."""
        self._file("V1_2", "_invalid").add(name, self.operation, {**inputs, **changes}, outputs, emitter.FAILS)

    def add_wrong_scale(
        self, inputs: Mapping[str, emitter.Operand], outputs: Mapping[str, emitter.SpecTensor], name: str
    ) -> None:
        """Add an example of unsigned codes that fails because coordinates of operand ``name`` have the scale 0.25."""
        targets = {operand: self._target(role, emitter.Q8) for operand, role in self.roles.items()}
        targets[name] = (targets[name][0], 0.25, 0)
        wrong = emitter.variations(emitter.conversion(emitter.LABELS[emitter.Q8], targets), default=False)
        self._file("V1_2", "_invalid").add(f"scale_of_{name}", self.operation, inputs, outputs, wrong + emitter.FAILS)

    @property
    def files(self) -> list[emitter.EmittedFile]:
        """Return all files."""
        return list(self.folders.values())

    def _file(self, folder: str, suffix: str) -> emitter.EmittedFile:
        name = f"{self.operation.lower()}{suffix}"
        return self.folders.setdefault(name, emitter.EmittedFile(folder, name))

    def _conversion(self, kind: OperandType) -> str:
        return emitter.conversion(
            emitter.LABELS[kind], {operand: self._target(role, kind) for operand, role in self.roles.items()}
        )

    @staticmethod
    def _target(role: str, kind: OperandType) -> tuple[OperandType, float, int]:
        if role in COORDINATES:
            return COORDINATES[role], 0.125, 0
        scale, zero_point = SCALES[role]
        return kind, scale, zero_point - 128 * (kind == emitter.Q8S)


def steady(build: Callable[[emitter.Source], T], decide: Callable[[T, Callable[[float], float]], Any], seed: int) -> T:
    """Return the first case whose decisions do not change if all its numbers change a little.

    ``build`` makes a case. ``decide`` returns the decisions for a case with changed numbers, or None if the case is
    unsuitable.
    """
    for attempt in range(500):
        case = build(emitter.Source(1000 * seed + attempt))
        decisions = decide(case, float)
        if decisions is not None and all(decide(case, _shaker(seed + shake)) == decisions for shake in range(SHAKES)):
            return case
    message = f"no steady case from seed {seed} on"
    raise ValueError(message)


def _shaker(seed: int) -> Callable[[float], float]:
    source = emitter.Source(seed)

    def shake(value: float) -> float:
        first, second = source.floats(-1, 1, 2, step=1 / 64)
        return value * (1 + RELATIVE * first) + ABSOLUTE * second

    return shake


def mapped(tensor: Tensor, function: Callable[[float], float]) -> Tensor:
    """Return a tensor of changed numbers."""
    return Tensor([function(value) for value in tensor.values], tensor.dims)


def operand(tensor: Tensor, role: str = "Input") -> emitter.SpecTensor:
    """Return a tensor of real numbers as an operand."""
    return given(tensor.values, *tensor.dims, role=role)


def distinct_scores(source: emitter.Source, *dims: int) -> Tensor:
    """Return shuffled scores, no two of which are close: multiples of 3/128, at most 41 of them."""
    count = 1
    for size in dims:
        count *= size
    pool, values = [3 * i / 128 for i in range(1, 42)], []
    for _ in range(count):
        (position,) = source.integers(0, len(pool) - 1, 1)
        values.append(pool.pop(position))
    return Tensor(values, dims)


def boxes(source: emitter.Source, count: int, within: int = 24) -> list[float]:
    """Return boxes of whole and half coordinates, flat."""
    result: list[float] = []
    for _ in range(count):
        x, y, width, height = source.integers(0, within, 4)
        result += [x / 2, y / 2, (x + width + 6) / 2, (y + height + 6) / 2]
    return result
