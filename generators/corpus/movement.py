"""Spec files of operations that move data: :class:`Scene`, one example in float32, and its conversion to other types.

Modules of ``families/`` state the scenes of their operations, and :func:`spec_files` makes the files of all versions
and types from them. Data are small integers, which every type holds exactly with the quantisations below, so that an
example may be converted after its result has been computed. ``boxes.py`` does the same for operations on boxes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, TypeAlias

from nnvet.generators.corpus import emitter
from nnvet.generators.corpus.emitter import to_the_unit
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.levels import version_name
from nnvet.hal.operations.catalogue import declarations
from nnvet.oracle.operations.invocation import Tensor, size_of

KINDS: Final = (emitter.F32, emitter.F16, emitter.Q8, emitter.Q8S, emitter.INT32)
"""Types that a float32 example can be converted to, in the order of its variations."""
QUANTIZATIONS: Final = {emitter.Q8: (0.5, 100), emitter.Q8S: (0.5, -20)}
"""Default scales and zero points with which the data are converted."""
Inputs: TypeAlias = list[emitter.Operand]
"""Inputs of a scene; text is Python: a plain number, or a call that makes an operand."""


@dataclass(frozen=True)
class Scene:
    """One float32 example, from which the examples of the other types are converted.

    ``feature`` is a part of the file's name; the feature needs the level ``least``. ``kinds`` are the types to which
    the example is converted: None means all types of the operation, and () that the example is not converted. With
    ``lifetimes`` the lifetimes of its operands vary, too. ``calls`` follow the example. ``version`` overrides the HAL
    version of the folder. With ``to_the_unit`` integers are compared exactly.
    """

    name: str
    inputs: Sequence[emitter.Operand]
    outputs: Sequence[emitter.SpecTensor]
    feature: str = "basic"
    least: int = 1
    kinds: tuple[OperandType, ...] | None = None
    lifetimes: bool = False
    relaxed: bool = False
    calls: str = ""
    version: str = ""
    to_the_unit: bool = False
    quantizations: Mapping[OperandType, tuple[float, int]] = field(default_factory=lambda: QUANTIZATIONS)


def operand(
    tensor: Tensor,
    kind: OperandType = emitter.F32,
    scale: float = 0.0,
    zero_point: int = 0,
    role: str = "Input",
    calls: str = "",
) -> emitter.SpecTensor:
    """Return a tensor of a scene; its type float32 is replaced by the type under test."""
    return emitter.SpecTensor(kind, tensor.dims, tensor.values, scale, zero_point, role, calls=calls)


def numbers(seed: int, *dims: int) -> Tensor:
    """Return a tensor of these dimensions with pseudo-random integers from -20 to 40 as floats."""
    return Tensor([float(i) for i in emitter.Source(seed).integers(-20, 40, size_of(dims))], dims)


def given(tensor: Tensor) -> emitter.SpecTensor:
    """Return an input of the type under test."""
    return operand(tensor)


def expected(tensor: Tensor) -> emitter.SpecTensor:
    """Return an output of the type under test."""
    return operand(tensor, role="Output")


def constant(*values: int, dims: tuple[int, ...] | None = None) -> emitter.SpecTensor:
    """Return a constant of integers, by default a list, otherwise a tensor of ``dims``."""
    return operand(Tensor(list(values), dims or (len(values),)), emitter.INT32, role="Parameter")


def failing(name: str, inputs: Sequence[emitter.Operand], *dims: int, outputs: int = 1) -> Scene:
    """Return an example whose execution has to fail, so that its output values do not matter.

    It exists from feature level 3 on, since older suites have no such examples.
    """
    output = expected(Tensor([0.0] * size_of(dims), dims))
    return Scene(name, inputs, [output] * outputs, "failures", 3, (emitter.F32,), calls=emitter.FAILURE)


def failing_search(name: str, inputs: Sequence[emitter.Operand], *dims: int) -> Scene:
    """Return a failing example of an operation that returns values and their indices."""
    places = operand(Tensor([0] * size_of(dims), dims), emitter.INT32, role="Output")
    scene = failing(name, inputs, *dims)
    return replace(scene, outputs=[*scene.outputs, places])


def spec_files(scenes: dict[OperationType, list[Scene]]) -> list[emitter.EmittedFile]:
    """Return the files of a family: one for each operation, feature, and level that adds types."""
    return list(chain.from_iterable(_files(operation, group) for operation, group in scenes.items()))


def _files(operation: OperationType, scenes: list[Scene]) -> Iterator[emitter.EmittedFile]:
    for feature in dict.fromkeys(scene.feature for scene in scenes):
        by_level: dict[int, list[tuple[Scene, list[OperandType]]]] = {}
        for scene in scenes:
            if scene.feature == feature:
                for level, kinds in _kinds_by_level(operation, scene).items():
                    by_level.setdefault(level, []).append((scene, kinds))
        for level in sorted(by_level):
            labels = dict.fromkeys(emitter.LABELS[kind] for _, kinds in by_level[level] for kind in kinds)
            later = "" if level == min(by_level) else "_".join(["", *labels])
            file = emitter.EmittedFile(version_name(level), f"{operation.name.lower()}_{feature}{later}")
            file.examples += [_example(operation, scene, kinds) for scene, kinds in by_level[level]]
            yield file


def _kinds_by_level(operation: OperationType, scene: Scene) -> dict[int, list[OperandType]]:
    if scene.kinds == ():
        return {scene.least: []}
    levels = _first_levels(operation)
    grouped: dict[int, list[OperandType]] = {}
    for kind in scene.kinds or [kind for kind in KINDS if kind in levels]:
        grouped.setdefault(max(levels[kind], scene.least), []).append(kind)
    return grouped


def _first_levels(operation: OperationType) -> dict[OperandType, int]:
    """Return the first level of each type in the declaration."""
    levels: dict[OperandType, int] = {}
    for row in declarations()[operation].rows:
        kind = row.types["T"]
        if isinstance(kind, OperandType):
            levels[kind] = min(row.level, levels.get(kind, row.level))
    return levels


def _example(operation: OperationType, scene: Scene, kinds: list[OperandType]) -> emitter.SpecExample:
    names = [v if isinstance(v, str) and "(" not in v else f"input{i}" for i, v in enumerate(scene.inputs)]
    inputs = {name: value for name, value in zip(names, scene.inputs, strict=True) if name != value}
    outputs = {f"output{i}": value for i, value in enumerate(scene.outputs)}
    example = emitter.SpecExample(
        scene.name,
        {**inputs, **outputs},
        [emitter.SpecCall(operation.name, names, list(outputs))],
        calls=_variations(scene, kinds) + scene.calls + ("" if scene.lifetimes else emitter.ONCE),
        model_calls=f'.IntroducedIn("{scene.version}")' if scene.version else "",
    )
    return to_the_unit(example) if scene.to_the_unit else example


def exactly(*scenes: Scene) -> list[Scene]:
    """Return the same scenes once more, with an exact comparison of the operation's 32-bit integers."""
    return [
        replace(scene, feature="to_the_unit", least=max(scene.least, 3), version="", to_the_unit=True)
        for scene in scenes
    ]


def _variations(scene: Scene, kinds: list[OperandType]) -> str:
    alternatives = ['"relaxed"'] if scene.relaxed and emitter.F32 in kinds else []
    for kind in kinds:
        if kind in QUANTIZATIONS:
            alternatives.append(emitter.uniform_conversion(emitter.LABELS[kind], *scene.quantizations[kind]))
        elif kind != emitter.F32:
            alternatives.append(f'"{emitter.LABELS[kind]}"')
    return emitter.variations(*alternatives, default=emitter.F32 in kinds)
