"""Spec files of QUANTIZE, DEQUANTIZE, CAST.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/writing.py`` calls :func:`files`.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from nnvet.generators.corpus import emitter
from nnvet.generators.corpus.empty import IMAGES, empty_example
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations import elementwise as oracle
from nnvet.oracle.operations.indexing import indexes

FOLDERS = {emitter.Q8: "V1_2", emitter.Q8S: "V1_3"}
"""HAL version whose folder gets the file, by type of codes."""
SHAPES = ([12], [3, 4], [2, 2, 3], [2, 1, 3, 2], [1, 2, 1, 3, 2])
"""Shapes of the examples, each with 12 elements."""
PARAMETERS = ((0.5, 128), (0.25, 0), (0.0625, 255), (1.0, 10), (2.0, 100))
"""Scales and zero points of unsigned codes, one for each shape."""
FINE = 0.0123456
"""A scale that float16 cannot hold. A driver that keeps scales in float16 is off by 2^-11."""
CONVERTIBLE = {emitter.F32: "float32", emitter.F16: "float16", emitter.INT32: "int32", emitter.Q8: "uint8"}
"""Types that CAST converts, with their names in the names of examples."""
CAST_DATA: dict[OperandType, Sequence[float]] = {
    emitter.F32: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2049.0, 60000.0],
    emitter.F16: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2048.0, 60000.0],
    emitter.INT32: [0, 1, -1, 127, 128, 254, 255, 256, -300, 2049, -2051, 60000],
    emitter.Q8: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
}
"""Inputs of CAST by type: numbers at the ends of the other types, beyond them, and between two integers."""


def _quantize_file(kind: OperandType) -> emitter.EmittedFile:
    file = emitter.EmittedFile(FOLDERS[kind], f"quantize_{emitter.LABELS[kind]}")
    low, high = emitter.RANGES[kind]
    for shape, (scale, unsigned) in zip(SHAPES, PARAMETERS, strict=True):
        target = (scale, unsigned + low)
        # Multiples of a quarter of the scale: halves of either sign, and both ends.
        steps = [0, 1, 2, 3, -1, -2, -3, 6, -6, 2000, -2000, emitter.Source(len(shape)).integers(-500, 500, 1)[0]]
        values = [step * scale / 4 for step in steps]
        expected = emitter.result(kind, shape, [oracle.quantize(x, target, low, high) for x in values], *target)
        given = {"x": emitter.SpecTensor(emitter.F32, shape, values)}
        file.add(f"rank{len(shape)}", "QUANTIZE", given, expected, emitter.ALL_FLOATS)
    return file


def _dequantize_files() -> list[emitter.EmittedFile]:
    files = []
    for kind, real, folder in (
        (emitter.Q8, emitter.F32, "V1_0"),
        (emitter.Q8, emitter.F16, "V1_2"),
        (emitter.Q8_SYMM, emitter.F32, "V1_2"),
        (emitter.Q8_SYMM, emitter.F16, "V1_2"),
        (emitter.Q8S, emitter.F32, "V1_3"),
        (emitter.Q8S, emitter.F16, "V1_3"),
    ):
        file = emitter.EmittedFile(folder, f"dequantize_{emitter.LABELS[kind]}_to_{emitter.LABELS[real]}")
        low, high = emitter.RANGES[emitter.Q8] if kind == emitter.Q8 else emitter.RANGES[emitter.Q8S]
        for shape, (scale, unsigned) in zip(SHAPES[:4], PARAMETERS[:4], strict=True):
            zero_point = 0 if kind == emitter.Q8_SYMM else unsigned + low
            codes = [low, high, zero_point, *emitter.Source(len(shape)).integers(low, high, 9)]
            values = [oracle.dequantize(q, scale, zero_point) for q in codes]
            given = {"x": emitter.SpecTensor(kind, shape, codes, scale, zero_point)}
            file.add(f"rank{len(shape)}", "DEQUANTIZE", given, emitter.result(real, shape, values))
        zero_point = 0 if kind == emitter.Q8_SYMM else low + 100
        codes = [low, high, zero_point, low + 1, high - 1, low + 77]
        values = [oracle.dequantize(q, FINE, zero_point) for q in codes]
        given = {"x": emitter.SpecTensor(kind, [6], codes, FINE, zero_point)}
        file.add("fine_scale", "DEQUANTIZE", given, emitter.result(real, [6], values))
        files.append(file)
    return files


def _dequantize_per_channel() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_2", "dequantize_per_channel")
    for shape in SHAPES[:4]:
        for channel_dim, size in enumerate(shape):
            scales = [0.25 * (i + 1) for i in range(size)]
            codes = emitter.Source(channel_dim).integers(-127, 127, math.prod(shape))
            channels = [index[channel_dim] for index in indexes(shape)]
            values = [oracle.dequantize(q, scales[c], 0) for q, c in zip(codes, channels, strict=True)]
            given = {"x": emitter.SpecTensor(emitter.PER_CHANNEL, shape, codes, scales=scales, channel=channel_dim)}
            for real in (emitter.F32, emitter.F16):
                name = f"rank{len(shape)}_channel{channel_dim}_{emitter.LABELS[real]}"
                file.add(name, "DEQUANTIZE", given, emitter.result(real, shape, values))
    fine = [FINE, 3 * FINE, FINE / 7]
    codes = [-127, 127, 1, 126, -77, 100]
    values = [oracle.dequantize(q, fine[index % 3], 0) for index, q in enumerate(codes)]
    given = {"x": emitter.SpecTensor(emitter.PER_CHANNEL, [2, 3], codes, scales=fine, channel=1)}
    for real in (emitter.F32, emitter.F16):
        file.add(f"fine_scales_{emitter.LABELS[real]}", "DEQUANTIZE", given, emitter.result(real, [2, 3], values))
    return file


def _cast_tensor(kind: OperandType, shape: Sequence[int], values: Sequence[float], role: str) -> emitter.SpecTensor:
    quantization = (0.5, 10) if kind == emitter.Q8 else (0.0, 0)
    return emitter.SpecTensor(kind, shape, values, *quantization, role)


def _cast_files() -> list[emitter.EmittedFile]:
    files = []
    for source, values in CAST_DATA.items():
        file = emitter.EmittedFile("V1_2", f"cast_{emitter.LABELS[source]}")
        for number, (target, name) in enumerate(CONVERTIBLE.items()):
            for shape in (SHAPES[number], SHAPES[4]):
                expected = _cast_tensor(target, shape, [oracle.cast(x, name) for x in values], "Output")
                label = f"to_{emitter.LABELS[target]}_rank{len(shape)}"
                file.add(label, "CAST", {"x": _cast_tensor(source, shape, values, "Input")}, expected)
        files.append(file)
    return files


def _cast_exactly() -> emitter.EmittedFile:
    """Return the casts to integers once more with an exact comparison, since the usual one allows an error of one."""
    file = emitter.EmittedFile("V1_2", "cast_to_int32_to_the_unit")
    for source, values in CAST_DATA.items():
        expected = emitter.result(emitter.INT32, [12], [oracle.cast(x, "int32") for x in values])
        file.add(
            f"of_{emitter.LABELS[source]}",
            "CAST",
            {"x": _cast_tensor(source, [12], values, "Input")},
            expected,
            emitter.ONCE,
        )
    file.examples = [emitter.to_the_unit(example) for example in file.examples]
    return file


def _cast_copies() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_3", "cast_identity")
    tensors = (
        emitter.SpecTensor(emitter.BOOL8, [2, 3], [0, 1, 1, 0, 1, 0]),
        emitter.SpecTensor(emitter.Q16A, [2, 3], [0, 1, 255, 256, 65534, 65535], 0.5, 100),
        emitter.SpecTensor(emitter.Q16S, [2, 3], [-32768, -1, 0, 1, 256, 32767], 0.5),
        emitter.SpecTensor(emitter.Q8S, [2, 3], [-128, -127, -1, 0, 1, 127], 0.5, -3),
        emitter.SpecTensor(emitter.Q8_SYMM, [2, 3], [-128, -127, -1, 0, 1, 127], 0.5),
    )
    for x in tensors:
        file.add(x.type.name.removeprefix("TENSOR_").lower(), "CAST", {"x": x}, replace(x, role="Output"))
    return file


def _failures() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_2", "quantization_invalid")
    x = emitter.SpecTensor(emitter.F32, [2, 3], [1.0] * 6)
    for name, shape in (("sizes", [2, 2]), ("rank", [6]), ("order", [3, 2])):
        values = [1] * math.prod(shape)
        file.add(f"cast_{name}", "CAST", {"x": x}, emitter.result(emitter.INT32, shape, values), emitter.FAILURE)
    codes = emitter.SpecTensor(emitter.Q8, [1, 1, 1, 1, 2], [1, 2], 0.5, 0)
    file.add(
        "dequantize_rank5",
        "DEQUANTIZE",
        {"x": codes},
        emitter.result(emitter.F32, [1, 1, 1, 1, 2], [0.5, 1.0]),
        emitter.FAILURE,
    )
    file.add(
        "dequantize_sizes",
        "DEQUANTIZE",
        {"x": emitter.SpecTensor(emitter.Q8, [2], [1, 2], 0.5)},
        emitter.result(emitter.F32, [3], [0.5] * 3),
        emitter.FAILURE,
    )
    return file


def _zero_sized() -> list[emitter.EmittedFile]:
    files = []
    for kind, folder in FOLDERS.items():
        file = emitter.EmittedFile(folder, f"quantize_zero_sized_{emitter.LABELS[kind]}")
        output = (kind, IMAGES, (0.5, emitter.RANGES[kind][0] + 3))
        file.examples.append(empty_example("QUANTIZE", output=output, calls=emitter.ALL_FLOATS))
        files.append(file)
    return files


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    return [
        *(_quantize_file(kind) for kind in (emitter.Q8, emitter.Q8S)),
        *_dequantize_files(),
        _dequantize_per_channel(),
        *_cast_files(),
        _cast_exactly(),
        _cast_copies(),
        _failures(),
        *_zero_sized(),
    ]
