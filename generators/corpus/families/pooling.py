"""Spec files of the pooling operations.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/windowed.py`` has the scales and data
that related families share. ``corpus/writing.py`` calls :func:`files`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from nnvet.generators.corpus import emitter
from nnvet.generators.corpus.windowed import ALL_ACTIVATIONS, NCHW, empty_batch, floats, quantized
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations import convolution as oracle
from nnvet.oracle.operations.activation import activate, code_bounds
from nnvet.oracle.operations.convolution import Steps, same_padding
from nnvet.oracle.operations.invocation import Tensor

SAME, VALID = 1, 2
"""Codes of implicit padding in NNAPI."""
ACTIVATION = "activation"
"""Name of the examples that vary the fused activation."""
AVERAGE, MAXIMUM, ROOT = "AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"
"""The operations of this family."""


@dataclass(frozen=True)
class _Shape:
    """An example without its values. ``padding`` is left, right, top, bottom, or a scheme; pairs are width, height."""

    name: str
    image: tuple[int, int, int, int]
    padding: tuple[int, int, int, int] | int
    stride: tuple[int, int]
    cells: tuple[int, int]


SHAPES = (
    _Shape("explicit_padding", (1, 4, 5, 2), (1, 0, 2, 1), (2, 1), (2, 3)),
    _Shape("same_padding", (2, 3, 4, 1), SAME, (1, 2), (3, 2)),
    _Shape("valid_padding", (1, 5, 4, 3), VALID, (1, 1), (2, 2)),
    _Shape("window_of_the_image", (1, 4, 4, 5), VALID, (4, 4), (4, 4)),
    _Shape("windows_side_by_side", (1, 7, 2, 1), SAME, (2, 3), (2, 3)),
    _Shape("one_cell", (1, 1, 1, 1), (0, 0, 0, 0), (1, 1), (1, 1)),
    _Shape("strides_leave_cells_out", (1, 7, 5, 1), (0, 0, 0, 0), (3, 4), (2, 1)),
    _Shape("windows_over_both_edges", (1, 1, 2, 2), (2, 2, 1, 1), (1, 1), (3, 2)),
    _Shape("row_padded_at_the_left", (1, 2, 6, 2), (2, 0, 0, 0), (2, 1), (3, 1)),
    _Shape("column_padded_at_the_bottom", (1, 6, 2, 1), (0, 0, 0, 2), (1, 4), (1, 3)),
    _Shape("window_and_padding_beyond_image", (1, 2, 2, 1), (3, 2, 2, 3), (1, 1), (4, 4)),
)
"""Sizes of image and window, padding and strides of the examples."""
SCALES = {"zero_point_inside": (0.5, 120), "lowest_zero_point": (0.0625, 0), "highest_zero_point": (0.1, 255)}
"""Scale and zero point of unsigned codes; in the second, RELU6 leaves 97 codes."""
PARAMETERS = tuple(SCALES.values())
"""Scale and zero point of the codes of an example, in turn."""


def _steps(shape: _Shape) -> Steps:
    if not isinstance(shape.padding, int):
        return Steps(shape.padding, shape.stride)
    padding = (0, 0, 0, 0)
    if shape.padding == SAME:
        across = same_padding(shape.image[2], shape.cells[0], shape.stride[0])
        down = same_padding(shape.image[1], shape.cells[1], shape.stride[1])
        padding = (*across, *down)
    return Steps(padding, shape.stride)


def _inputs(x: emitter.SpecTensor, shape: _Shape, *, layout: bool) -> dict[str, emitter.Operand]:
    given: dict[str, emitter.Operand] = {"input": x}
    if isinstance(shape.padding, int):
        given["padding"] = str(shape.padding)
    else:
        given.update(zip(("left", "right", "top", "bottom"), map(str, shape.padding), strict=True))
    given.update(zip(("stride_width", "stride_height"), map(str, shape.stride), strict=True))
    given.update(zip(("width", "height"), map(str, shape.cells), strict=True))
    given["activation"] = 'Int32Scalar("activation", 0)'
    if layout:
        given["layout"] = 'BoolScalar("layout", False)'
    return given


def _of(operation: str, kind: OperandType) -> oracle.OfWindows:
    if operation == MAXIMUM:
        return oracle.largest
    if operation == ROOT:
        return oracle.root_mean_square
    return {emitter.F32: oracle.mean, emitter.Q8: oracle.mean_unsigned, emitter.Q8S: oracle.mean_signed}[kind]


def _add(
    file: emitter.EmittedFile, operation: str, x: emitter.SpecTensor, shape: _Shape, variations: str, name: str = ""
) -> None:
    """Add an example, which is named after its shape unless a name is given."""
    pooled = oracle.pool(
        Tensor(list(x.values), tuple(x.dimensions)), shape.cells[::-1], _steps(shape), _of(operation, x.type)
    )
    if x.type == emitter.F32:
        values = [activate(value, 0) for value in pooled.values]
    else:
        low, high = code_bounds(0, x.scale, x.zero_point, *emitter.RANGES[x.type])
        values = [min(max(value, low), high) for value in pooled.values]
    given = _inputs(x, shape, layout="layout" in variations)
    file.add(
        name or shape.name,
        operation,
        given,
        emitter.result(x.type, pooled.dims, values, x.scale, x.zero_point),
        variations,
    )


def _float_files(operation: str) -> Iterable[emitter.EmittedFile]:
    name = operation.lower()
    file = emitter.EmittedFile("V1_0", f"{name}_float")
    for index, shape in enumerate(SHAPES):
        _add(
            file,
            operation,
            emitter.SpecTensor(emitter.F32, shape.image, floats(index, shape.image)),
            shape,
            emitter.RELAXED * (index == 1),
        )
    _add(
        file,
        operation,
        emitter.SpecTensor(emitter.F32, SHAPES[0].image, floats(9, SHAPES[0].image)),
        SHAPES[0],
        ALL_ACTIVATIONS,
        ACTIVATION,
    )
    yield file
    file = emitter.EmittedFile("V1_2", f"{name}_layout")
    for index, shape in enumerate(SHAPES[:2]):
        _add(
            file,
            operation,
            emitter.SpecTensor(emitter.F32, shape.image, floats(20 + index, shape.image)),
            shape,
            emitter.HALF + NCHW,
        )
    yield file
    file = emitter.EmittedFile("V1_2", f"{name}_float16")
    for index, shape in enumerate(SHAPES[1:5]):
        _add(
            file,
            operation,
            emitter.SpecTensor(emitter.F32, shape.image, floats(30 + index, shape.image)),
            shape,
            emitter.HALF_ONLY,
        )
    _add(
        file,
        operation,
        emitter.SpecTensor(emitter.F32, SHAPES[0].image, floats(39, SHAPES[0].image)),
        SHAPES[0],
        emitter.HALF_ONLY + ALL_ACTIVATIONS,
        ACTIVATION,
    )
    yield file


def _quantized_files(operation: str, kind: OperandType) -> Iterable[emitter.EmittedFile]:
    file = emitter.EmittedFile("V1_3" if kind == emitter.Q8S else "V1_0", f"{operation.lower()}_{emitter.LABELS[kind]}")
    for index, shape in enumerate(SHAPES):
        _add(file, operation, quantized(kind, shape.image, 40 + index, PARAMETERS[index % 3], 256), shape, "")
    for index, (name, scale) in enumerate(SCALES.items()):
        x = quantized(kind, SHAPES[0].image, 50 + index, scale, 40)
        _add(file, operation, x, SHAPES[0], ALL_ACTIVATIONS, f"{ACTIVATION}_{name}")
    yield file
    file = emitter.EmittedFile(
        "V1_3" if kind == emitter.Q8S else "V1_2", f"{operation.lower()}_{emitter.LABELS[kind]}_layout"
    )
    for index, shape in enumerate(SHAPES[:2]):
        _add(file, operation, quantized(kind, shape.image, 60 + index, PARAMETERS[index], 256), shape, NCHW)
    yield file


def _failures(operation: str) -> emitter.EmittedFile:
    """Return calls that break one rule; their expected values are never compared."""
    file = emitter.EmittedFile("V1_2", f"{operation.lower()}_invalid")
    shape = SHAPES[0]
    good = _inputs(emitter.SpecTensor(emitter.F32, shape.image, floats(0, shape.image)), shape, layout=True)
    broken: dict[str, tuple[str, emitter.Operand]] = {
        "input_of_rank_3": ("input", emitter.SpecTensor(emitter.F32, [4, 5, 2], floats(0, [4, 5, 2]))),
        "negative_padding": ("top", "-1"),
        "no_stride": ("stride_height", "0"),
        "no_width": ("width", "0"),
        "window_above_image": ("height", "9"),
        "negative_padding_right": ("right", "-1"),
        "no_stride_width": ("stride_width", "0"),
        "no_height": ("height", "0"),
        "window_beside_image": ("width", "9"),
        "negative_activation": ("activation", "-1"),
    }
    for side, cells in (("left", 2), ("right", 2), ("top", 3), ("bottom", 3)):
        broken[f"{side}_alone"] = (side, str(cells))
    # Outputs are as large as paddings make them, so that nothing but the padding is wrong.
    sizes = {"left_alone": (5, 3), "right_alone": (5, 4), "top_alone": (6, 3), "bottom_alone": (7, 3)}
    sizes |= {"negative_padding": (2, 3), "negative_padding_right": (5, 2)}
    for name, (operand, value) in broken.items():
        height, width = sizes.get(name, (5, 3))
        zeros = emitter.result(emitter.F32, [1, height, width, 2], [0.0] * (2 * height * width))
        file.add(name, operation, {**good, operand: value}, zeros, emitter.FAILS)
    # Windows that are one cell too large: by the formula, rounded, nothing is left, which may be declared.
    for name, changes, (height, width) in (
        ("no_rows_left", {"height": "8", "stride_height": "2"}, (0, 3)),
        ("no_columns_left", {"width": "7", "stride_width": "2"}, (5, 0)),
    ):
        file.add(
            name, operation, {**good, **changes}, emitter.result(emitter.F32, [1, height, width, 2], []), emitter.FAILS
        )
    if operation != ROOT:
        x = quantized(emitter.Q8, shape.image, 1, PARAMETERS[0], 40)
        for name, target in (("scale", (0.25, 120)), ("zero_point", (0.5, 121))):
            wrong = emitter.result(emitter.Q8, [1, 5, 3, 2], [0] * 30, *target)
            file.add(f"{name}_of_output", operation, _inputs(x, shape, layout=True), wrong, emitter.FAILS)
    return file


def _zero_sized(operation: str) -> Iterable[emitter.EmittedFile]:
    for kind in (emitter.F32,) if operation == ROOT else (emitter.F32, *emitter.QUANTIZED):
        folder = "V1_3" if kind == emitter.Q8S else "V1_2"
        file = emitter.EmittedFile(folder, f"{operation.lower()}_zero_sized_{emitter.LABELS[kind]}")
        file.examples.append(empty_batch(operation, kind, "1", "1", "1", "1", "1", "0"))
        yield file


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    written = []
    for operation in (AVERAGE, MAXIMUM, ROOT):
        written += [*_float_files(operation), _failures(operation), *_zero_sized(operation)]
        if operation != ROOT:
            written += [file for kind in emitter.QUANTIZED for file in _quantized_files(operation, kind)]
    return written
