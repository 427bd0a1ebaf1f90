"""Examples in which the operation under test reads a tensor without elements.

A request cannot contain such a tensor, since an argument without bytes counts as omitted. Therefore each model computes
the tensor itself: a detection operation, whose threshold no score passes, leaves no boxes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nnvet.generators.corpus import emitter
from nnvet.hal.enums import OperandType

Quantization = tuple[float, int]
IMAGES = [0, 2, 2, 2]
"""Dimensions of the tensor without elements: a batch of no images of 2 x 2 cells and 2 channels."""


def empty_example(
    operation: str,
    *arguments: str,
    output: tuple[OperandType, Sequence[int], Quantization] = (emitter.F32, IMAGES, (0.0, 0)),
    constants: Mapping[str, emitter.SpecTensor] | None = None,
    calls: str = "",
) -> emitter.SpecExample:
    """Return the operation on tensor ``empty`` and further ``arguments``: values, or names of the ``constants``."""
    type_, dimensions, quantization = output
    operands = {
        **(constants or {}),
        "scores": emitter.SpecTensor(emitter.F32, [1, 2], [0.9, 0.1], role="Parameter"),
        "boxes": emitter.SpecTensor(emitter.F32, [1, 8], [1, 1, 10, 10, 0, 0, 10, 10], role="Parameter"),
        "scores_left": emitter.SpecTensor(emitter.F32, [0], [], role="Output"),
        "boxes_left": emitter.SpecTensor(emitter.F32, [0, 4], [], role="Internal"),
        "classes_left": emitter.SpecTensor(emitter.INT32, [0], [], role="Output"),
        "batches_left": emitter.SpecTensor(emitter.INT32, [0], [], role="Internal"),
        "features": emitter.SpecTensor(emitter.F32, [1, 1, 1, 2], [1.0, 2.0]),
        "empty": emitter.SpecTensor(emitter.F32, IMAGES, [], role="Internal"),
        "output": emitter.SpecTensor(type_, dimensions, [], *quantization, "Output"),
    }
    limit = ["scores", "boxes", "[0]", "0.3", "-1", "0", "0.4", "1.0", "0.3"]
    align = ["features", "boxes_left", "batches_left", "2", "2", "2.0", "2.0", "4", "4", "False"]
    operations = [
        emitter.SpecCall("BOX_WITH_NMS_LIMIT", limit, ["scores_left", "boxes_left", "classes_left", "batches_left"]),
        emitter.SpecCall("ROI_ALIGN", align, ["empty"]),
        emitter.SpecCall(operation, ["empty", *arguments], ["output"]),
    ]
    comment = "No score passes the threshold, so the feature map has no images when the operation sees it."
    return emitter.SpecExample("empty_batch", operands, operations, calls, comment=comment)


def quantized_empty(
    kind: OperandType,
    features: Quantization,
    output: Quantization,
    others: Mapping[str, tuple[OperandType, float, int]] | None = None,
) -> str:
    """Return the variation that makes the tensors of :func:`empty_example` quantised; ``others`` are its constants."""
    scores, boxes = (kind, 0.1, emitter.RANGES[kind][0] + 128), (emitter.Q16A, 0.125, 0)
    targets = {
        **(others or {}),
        "scores": scores,
        "scores_left": scores,
        "boxes": boxes,
        "boxes_left": boxes,
        "features": (kind, *features),
        "empty": (kind, *features),
        "output": (kind, *output),
    }
    return emitter.conversion(emitter.LABELS[kind], targets)


def empty_files(
    operation: str,
    *arguments: str,
    quantizations: Mapping[OperandType, tuple[Quantization, Quantization]],
    folder: str = "V1_2",
    signed: str = "_quant8_signed",
) -> list[emitter.EmittedFile]:
    """Return a file with all types except signed codes, and a file with these.

    ``quantizations`` are those of the feature map and of the output by type; ``signed`` ends the second file's name.
    """
    files = []
    for kind, (features, output) in quantizations.items():
        later = kind == emitter.Q8S
        file = emitter.EmittedFile("V1_3" if later else folder, f"{operation.lower()}_zero_sized{signed * later}")
        variation = quantized_empty(kind, features, output)
        floats = () if later else ('"relaxed"', '"float16"')
        file.examples.append(
            empty_example(operation, *arguments, calls=emitter.variations(*floats, variation, default=not later))
        )
        files.append(file)
    return files
