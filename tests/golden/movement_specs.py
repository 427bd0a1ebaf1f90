"""Spec files of the operations that move data: one scene in float32, the other types by conversion.

Data are small integers, which every type holds exactly with the quantisations below, and moving them commutes
with converting them. Used by ``write_*_specs.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.tensor import Tensor, size_of
from tests.golden.movement_levels import F16, F32, I32, LEVELS, Q8, Q8S
from tests.golden.spec_writer import Source, SpecFile, literal

FOLDERS = {1: "V1_0", 2: "V1_1", 3: "V1_2", 4: "V1_3", 6: "AIDL_V2", 7: "AIDL_V3"}
LABELS = {F32: "float", F16: "float16", Q8: "quant8", Q8S: "quant8_signed", I32: "int32"}
QUANTIZATIONS = {Q8: (0.5, 100), Q8S: (0.5, -20)}
"""Scale and zero point with which the data are converted, if a scene does not say otherwise."""


@dataclass(frozen=True)
class Operand:
    """A tensor of a scene. Without ``type`` it has the type under test; ``role`` is the language's class."""

    tensor: Tensor
    type: T | None = None
    scale: float = 0.0
    zero_point: int = 0
    role: str = "Input"
    calls: str = ""

    def code(self, name: str) -> str:
        """The line that makes the operand."""
        parts = [f'"{(self.type or F32).name}"', str(list(self.tensor.dims))]
        if self.scale:
            parts += [repr(self.scale), str(self.zero_point)]
        value = {"Parameter": f", {literal(self.tensor.values)}", "Omitted": ", value=None"}.get(self.role, "")
        role = "Parameter" if self.role == "Omitted" else self.role
        return f'{name} = {role}("{name}", ({", ".join(parts)}){value}){self.calls}'


Inputs: TypeAlias = list[Operand | str]
"""Inputs of a scene; text is Python: a plain number, or a call that makes an operand."""


@dataclass(frozen=True)
class Scene:
    """One example.

    ``feature`` names the file, and needs level ``least``. ``kinds`` are the types it is converted to (none: it
    is written for one type). ``lifetimes``: with the default variations. ``calls`` follow the example.
    ``version`` is that of the cases where it is not that of the folder.
    """

    name: str
    inputs: Sequence[Operand | str]
    outputs: Sequence[Operand]
    feature: str = "basic"
    least: int = 1
    kinds: tuple[T, ...] | None = None
    lifetimes: bool = False
    relaxed: bool = False
    calls: str = ""
    version: str = ""
    quantizations: dict[T, tuple[float, int]] = field(default_factory=lambda: QUANTIZATIONS)


def numbers(seed: int, *dims: int) -> Tensor:
    """Small integers as floats."""
    return Tensor([float(i) for i in Source(seed).integers(-20, 40, size_of(dims))], dims)


def given(tensor: Tensor) -> Operand:
    """An input of the type under test."""
    return Operand(tensor)


def expected(tensor: Tensor) -> Operand:
    """An output of the type under test."""
    return Operand(tensor, role="Output")


def constant(*values: int, dims: tuple[int, ...] | None = None) -> Operand:
    """A constant list of integers, or tensor of ``dims``."""
    return Operand(Tensor(list(values), dims or (len(values),)), I32, role="Parameter")


def failing(name: str, inputs: Sequence[Operand | str], *dims: int, outputs: int = 1) -> Scene:
    """An example whose execution fails, whatever the values of its outputs; older suites take none of them."""
    output = expected(Tensor([0.0] * size_of(dims), dims))
    return Scene(name, inputs, [output] * outputs, "failures", 3, (F32,), calls=".ExpectFailure()")


def spec_files(family: str, scenes: dict[O, list[Scene]]) -> list[SpecFile]:
    """Files of a family: one for each operation, feature and level at which types join."""
    return list(chain.from_iterable(_files(family, operation, group) for operation, group in scenes.items()))


def _files(family: str, operation: O, scenes: list[Scene]) -> Iterator[SpecFile]:
    for feature in dict.fromkeys(scene.feature for scene in scenes):
        by_level: dict[int, list[tuple[Scene, list[T]]]] = {}
        for scene in scenes:
            if scene.feature == feature:
                for level, kinds in _kinds_by_level(operation, scene).items():
                    by_level.setdefault(level, []).append((scene, kinds))
        for level in sorted(by_level):
            labels = dict.fromkeys(LABELS[kind] for _, kinds in by_level[level] for kind in kinds)
            later = "" if level == min(by_level) else "_".join(["", *labels])
            file = SpecFile(family, FOLDERS[level], f"{operation.name.lower()}_{feature}{later}")
            file.blocks += [_block(operation, scene, kinds) for scene, kinds in by_level[level]]
            yield file


def _kinds_by_level(operation: O, scene: Scene) -> dict[int, list[T]]:
    if scene.kinds == ():
        return {scene.least: []}
    levels = LEVELS[operation]
    grouped: dict[int, list[T]] = {}
    for kind in scene.kinds or tuple(levels):
        grouped.setdefault(max(levels[kind], scene.least), []).append(kind)
    return grouped


def _block(operation: O, scene: Scene, kinds: list[T]) -> str:
    names = [v if isinstance(v, str) and "(" not in v else f"input{i}" for i, v in enumerate(scene.inputs)]
    lines = []
    for name, value in zip(names, scene.inputs, strict=True):
        if isinstance(value, Operand):
            lines.append(value.code(name))
        elif name != value:
            lines.append(f"{name} = {value}")
    outputs = {f"output{i}": value for i, value in enumerate(scene.outputs)}
    version = f'.IntroducedIn("{scene.version}")' if scene.version else ""
    lines += [value.code(name) for name, value in outputs.items()]
    lines.append(
        f'model = Model("{scene.name}").Operation("{operation.name}", {", ".join(names)})'
        f".To({', '.join(outputs)}){version}"
    )
    fed = {
        name: value
        for name, value in zip(names, scene.inputs, strict=True)
        if isinstance(value, Operand) and value.role == "Input"
    }
    lines.append("Example({")
    lines += [f"    {name}: {literal(value.tensor.values)}," for name, value in {**fed, **outputs}.items()]
    lines.append(f"}}, model=model){_variations(scene, kinds)}{scene.calls}{_lifetimes(scene)}")
    return "\n".join(lines)


def _lifetimes(scene: Scene) -> str:
    return "" if scene.lifetimes else ".DisableLifeTimeVariation()"


def _variations(scene: Scene, kinds: list[T]) -> str:
    parts = ['"relaxed"'] if scene.relaxed and F32 in kinds else []
    for kind in kinds:
        if kind in QUANTIZATIONS:
            scale, zero_point = scene.quantizations[kind]
            parts.append(f'DataTypeConverter("{LABELS[kind]}", scale={scale!r}, zeroPoint={zero_point})')
        elif kind != F32:
            parts.append(f'"{LABELS[kind]}"')
    if not parts:
        return ""
    without = "" if F32 in kinds else ", includeDefault=False"
    return f".AddVariations({', '.join(parts)}{without})"
