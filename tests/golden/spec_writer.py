"""Writes spec files whose expected values come from the second implementations. Used by ``write_*_specs.py``."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

SPECS = Path(__file__).parents[2] / "conformance" / "specs"
Q8, Q8S = "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"
F32, F16 = "TENSOR_FLOAT32", "TENSOR_FLOAT16"
INT32, BOOL8 = "TENSOR_INT32", "TENSOR_BOOL8"
RANGES = {Q8: (0, 255), Q8S: (-128, 127)}
LABELS = {Q8: "quant8", Q8S: "quant8_signed", F32: "float", F16: "float16", INT32: "int32", BOOL8: "bool"}
"""What file names call the types."""


@dataclass(frozen=True)
class Tensor:
    """A tensor of an example. ``role`` is the class of the spec language; ``extra`` follows in its call."""

    type: str
    dimensions: Sequence[int]
    values: Sequence[Any]
    scale: float = 0.0
    zero_point: int = 0
    role: str = "Input"
    extra: str = ""

    def code(self, name: str) -> str:
        """The line that makes the operand."""
        parts = [f'"{self.type}"', str(list(self.dimensions))]
        if self.scale:
            parts += [repr(self.scale), str(self.zero_point)]
        value = f", {literal(self.values)}" if self.role == "Parameter" else ""
        return f'{name} = {self.role}("{name}", ({", ".join(parts)}){value}{self.extra})'


@dataclass
class SpecFile:
    """One spec file: ``conformance/specs/FOLDER/NAME.mod.py``. ``named``: cases carry the names of their blocks."""

    family: str
    folder: str
    name: str
    blocks: list[str] = field(default_factory=list)
    named: bool = False

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return SPECS / self.folder / f"{self.name}.mod.py"

    @property
    def text(self) -> str:
        """The whole file."""
        return "\n\n".join([f"# Written by tests/golden/write_{self.family}_specs.py.", *self.blocks]) + "\n"

    def add(
        self,
        name: str,
        operation: str,
        inputs: Mapping[str, Tensor | str],
        output: Tensor | Mapping[str, Tensor],
        variations: str = "",
    ) -> None:
        """One operation on its inputs (tensors, or the Python text of scalars), by name in order."""
        outputs = {"output": output} if isinstance(output, Tensor) else output
        tensors = {key: value for key, value in inputs.items() if isinstance(value, Tensor)}
        lines = [v.code(k) if isinstance(v, Tensor) else f"{k} = {v}" for k, v in inputs.items()]
        lines += [tensor.code(key) for key, tensor in outputs.items()]
        label = f'"{name}"' if self.named else ""
        lines.append(f'model = Model({label}).Operation("{operation}", {", ".join(inputs)}).To({", ".join(outputs)})')
        fed = {key: tensor for key, tensor in tensors.items() if tensor.role == "Input"}
        data = [f"    {key}: {literal(tensor.values)}," for key, tensor in {**fed, **outputs}.items()]
        lines += ["Example({", *data, f"}}, model=model){variations}"]
        self.blocks.append("\n".join(lines))


def result(type_: str, dimensions: Sequence[int], values: Sequence[Any], scale: float = 0.0, zero: int = 0) -> Tensor:
    """An output with its expected values."""
    return Tensor(type_, dimensions, values, scale, zero, "Output")


def parameter(type_: str, dimensions: Sequence[int], values: Sequence[Any]) -> Tensor:
    """A constant."""
    return Tensor(type_, dimensions, values, role="Parameter")


def literal(values: Sequence[Any]) -> str:
    """A list in Python; floats with as few digits as give the same float32."""
    return f"[{', '.join(map(_number, values))}]"


def _number(value: Any) -> str:
    if isinstance(value, int | np.integer):
        return str(int(value))
    if not math.isfinite(value):
        return f'float("{value}")'
    with np.errstate(over="raise"):
        return repr(float(str(np.float32(value))))


class Source:
    """Small reproducible data; the same numbers with every version of every library."""

    def __init__(self, seed: int) -> None:
        """Start a sequence."""
        self.state = seed * 7919 + 12345

    def integers(self, low: int, high: int, count: int) -> list[int]:
        """Integers from ``low`` to ``high``, both included."""
        return [low + next(self) % (high - low + 1) for _ in range(count)]

    def floats(self, low: float, high: float, count: int, step: float = 1 / 16) -> list[float]:
        """Multiples of ``step``, which float16 can hold."""
        return [i * step for i in self.integers(math.ceil(low / step), math.floor(high / step), count)]

    def __iter__(self) -> Iterator[int]:
        """Itself."""
        return self

    def __next__(self) -> int:
        """The next number of 16 bits (the upper half of a linear congruential generator)."""
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return self.state >> 15


ZERO_SIZED = """# No score passes the threshold, so the feature map has no images when the operation sees it.
scores = Parameter("scores", ("TENSOR_FLOAT32", [1, 2]), [0.9, 0.1])
boxes = Parameter("boxes", ("TENSOR_FLOAT32", [1, 8]), [1, 1, 10, 10, 0, 0, 10, 10])
scores_left = Output("scores_left", ("TENSOR_FLOAT32", [0]))
boxes_left = Internal("boxes_left", ("TENSOR_FLOAT32", [0, 4]))
classes_left = Output("classes_left", ("TENSOR_INT32", [0]))
batches_left = Internal("batches_left", ("TENSOR_INT32", [0]))
model = Model()
model.Operation("BOX_WITH_NMS_LIMIT", scores, boxes, [0], 0.3, -1, 0, 0.4, 1.0, 0.3)
model.To(scores_left, boxes_left, classes_left, batches_left)
features = Input("features", ("TENSOR_FLOAT32", [1, 1, 1, 2]))
empty = Internal("empty", ("TENSOR_FLOAT32", [0, 2, 2, 2]))
model.Operation("ROI_ALIGN", features, boxes_left, batches_left, 2, 2, 2.0, 2.0, 4, 4, False).To(empty)
output = Output("output", ("{type}", [0, 2, 2, 2]{quantization}))
model.Operation("{operation}", empty{trailing}).To(output)
Example({{features: [1.0, 2.0], scores_left: [], classes_left: [], output: []}}, model=model){variations}"""
"""A model in which tensor ``empty`` has no elements when the operation under test runs."""


def zero_sized(
    operation: str, target: tuple[str, float, int] = (F32, 0.0, 0), trailing: str = ""
) -> Callable[..., str]:
    """Block with ``operation`` on a tensor without elements; call it with variations.

    ``target`` is type, scale and zero point of the output.
    """
    quantization = f", {target[1]!r}, {target[2]}" if target[1] else ""

    def block(variations: str = "") -> str:
        return ZERO_SIZED.format(
            operation=operation,
            type=target[0],
            quantization=quantization,
            trailing=trailing,
            variations=variations,
        )

    return block


def quantized_zero_sized(label: str, kind: str, features: tuple[float, int], target: tuple[float, int]) -> str:
    """Variation that makes the tensors of :data:`ZERO_SIZED` quantised."""
    boxes = '("TENSOR_QUANT16_ASYMM", 0.125, 0)'
    scores, empty, output = (
        f'("{kind}", {scale!r}, {zero})' for scale, zero in ((0.1, RANGES[kind][0] + 128), features, target)
    )
    return (
        f'DataTypeConverter(name="{label}").Identify({{scores: {scores}, scores_left: {scores}, boxes: {boxes}, '
        f"boxes_left: {boxes}, features: {empty}, empty: {empty}, output: {output}}})"
    )


def write_all(files: Sequence[SpecFile]) -> None:
    """Write the files and remove what the same script wrote before and no longer does."""
    mark = files[0].text.partition("\n")[0]
    for path in SPECS.rglob("*.mod.py"):
        if path.read_text(encoding="utf-8").partition("\n")[0] == mark:
            path.unlink()
    for file in files:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.write_text(file.text, encoding="utf-8")
