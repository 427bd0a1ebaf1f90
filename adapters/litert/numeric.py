"""Rows of LiteRT's table of claims for reductions, normalisations, resizing, changes of type, and the detection head.

Building blocks are in :mod:`nnvet.adapters.litert.forms`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.litert.forms import LiteRtClaim, along_last, image_input, image_output, rank_up_to, reshape
from nnvet.adapters.runtimes.claims import BOOLEAN, BOTH_BYTES, FLOATS, INTEGER, UNSIGNED, Condition, element_name
from nnvet.formats.tflite.schema import TensorType
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.reduction import reduced_axes
from nnvet.hal.operations.resize import new_sizes
from nnvet.hal.operations.shapes import is_nchw

_O = OperationType
_T = OperandType
_HALF_OR_SINGLE: Final = {_T.TENSOR_FLOAT16: _T.TENSOR_FLOAT32}


def _reduction(name: str) -> Callable[[Emitter, Call], None]:
    """Return the function that emits a reduction; a RESHAPE drops dimensions, since LiteRT makes a vector a scalar."""

    def emit(emitter: Emitter, call: Call) -> None:
        argument, axes = call["input"], reduced_axes(call)
        kept = [1 if axis in axes else size for axis, size in enumerate(argument.dimensions)]
        result = emitter.between(call.output, kept)
        emitter.add(name, [emitter.source(argument), emitter.constant(list(axes))], result, keep_dims=True)
        reshape(emitter, result, emitter.target(call.output), call.output.dimensions)

    return emit


def _index(name: str) -> Callable[[Emitter, Call], None]:
    """Return the function that emits ARG_MAX or ARG_MIN; LiteRT's result for a vector is a scalar."""

    def emit(emitter: Emitter, call: Call) -> None:
        argument = call["input"]
        axis = call.scalar("axis") % argument.rank
        shape = [size for position, size in enumerate(argument.dimensions) if position != axis]
        result = emitter.between(call.output, shape)
        inputs = [emitter.source(argument), emitter.constant(axis)]
        emitter.add(name, inputs, result, output_type=TensorType.INT32)
        reshape(emitter, result, emitter.target(call.output), call.output.dimensions)

    return emit


def _softmax(emitter: Emitter, call: Call) -> None:
    beta, axis = call.scalar("beta"), call.scalar("axis", -1)
    along_last(emitter, call, axis, lambda source, target: emitter.add("SOFTMAX", [source], target, beta=beta))


def _log_softmax(emitter: Emitter, call: Call) -> None:
    def emit(source: int, target: int) -> None:
        emitter.add("LOG_SOFTMAX", [source], target)

    along_last(emitter, call, call.scalar("axis"), emit)


def _l2_normalization(emitter: Emitter, call: Call) -> None:
    def emit(source: int, target: int) -> None:
        emitter.add("L2_NORMALIZATION", [source], target)

    along_last(emitter, call, call.scalar("axis", -1), emit)


def _local_response(emitter: Emitter, call: Call) -> None:
    """Emit the normalisation in four dimensions along the last one, because LiteRT supports nothing else."""
    argument = call["input"]
    options = {name: call.scalar(name) for name in ("radius", "bias", "alpha", "beta")}
    rank, axis = argument.rank, call.scalar("axis", -1)
    length = argument.dimensions[axis]
    cells = int(np.prod(argument.dimensions)) // length

    def emit(source: int, target: int) -> None:
        if rank == 4:  # noqa: PLR2004 - images
            emitter.add("LOCAL_RESPONSE_NORMALIZATION", [source], target, **options)
            return
        flat, result = (emitter.between(argument, (1, 1, cells, length)) for _ in range(2))
        reshape(emitter, source, flat, (1, 1, cells, length))
        emitter.add("LOCAL_RESPONSE_NORMALIZATION", [flat], result, **options)
        shape = list(argument.dimensions)
        shape[axis], shape[-1] = shape[-1], shape[axis]
        reshape(emitter, result, target, shape)

    along_last(emitter, call, axis, emit)


def _instance_normalization(emitter: Emitter, call: Call) -> None:
    argument = call["input"]
    source = image_input(emitter, call)
    n, h, w, c = (argument.dimensions[axis] for axis in ((0, 2, 3, 1) if is_nchw(call) else range(4)))
    axes = emitter.constant([1, 2])
    mean, variance, shifted, root = (emitter.between(argument, (n, 1, 1, c)) for _ in range(4))
    centred, scaled, stretched, squares = (emitter.between(argument, (n, h, w, c)) for _ in range(4))
    emitter.add("MEAN", [source, axes], mean, keep_dims=True)
    emitter.add("SUB", [source, mean], centred)
    emitter.add("MUL", [centred, centred], squares)
    emitter.add("MEAN", [squares, axes], variance, keep_dims=True)
    emitter.add("ADD", [variance, emitter.filled(argument, call.scalar("epsilon"))], shifted)
    emitter.add("RSQRT", [shifted], root)
    emitter.add("MUL", [centred, root], scaled)
    emitter.add("MUL", [scaled, emitter.filled(argument, call.scalar("gamma"))], stretched)
    beta = emitter.filled(argument, call.scalar("beta"))
    image_output(emitter, call, lambda target: emitter.add("ADD", [stretched, beta], target))


def _resize(name: str) -> Callable[[Emitter, Call], None]:
    """Return the function that emits a resize to a constant size; TFLite has the height first."""

    def emit(emitter: Emitter, call: Call) -> None:
        options = {key: call.scalar(key, False) for key in ("align_corners", "half_pixel_centers")}
        inputs = [image_input(emitter, call), emitter.constant(list(new_sizes(call)))]
        image_output(emitter, call, lambda target: emitter.add(name, inputs, target, **options))

    return emit


def _cast(emitter: Emitter, call: Call) -> None:
    source, target = call["input"], call.output
    types = [
        TensorType[element_name(_HALF_OR_SINGLE.get(_T(operand.type), _T(operand.type))).upper()]
        for operand in (source, target)
    ]
    emitter.add("CAST", [emitter.source(source)], emitter.target(target), in_data_type=types[0], out_data_type=types[1])


_LAST_OR_RANK: Final = rank_up_to(4)
_UNIT_BETA: Final = Condition("beta is 1, the only one that LiteRT knows", lambda call: call.scalar("beta") == 1)
_FLOAT_TO_CODES: Final = Condition(
    "floats are not cast to codes: what becomes of numbers beyond 0 to 255 differs",
    lambda call: call["input"].type not in FLOATS or call.output.type != UNSIGNED,
)
_INTEGERS_TO_CODES: Final = Condition(
    "integers are not cast to codes: the contract clamps them, LiteRT cuts off their high bits",
    lambda call: call["input"].type != INTEGER or call.output.type != UNSIGNED,
)
_UNUSUAL: Final = "LiteRT's CAST does not copy it"
_HEAD: Final = "CUSTOM 'TFLite_Detection_PostProcess'"


def _detection(emitter: Emitter, call: Call) -> None:
    """Emit TFLite's detection head, a custom operator: all its outputs are floats, and the boxes come first.

    LiteRT keeps scores that equal the threshold, and boxes whose overlap equals the threshold of overlaps. The
    contract drops both. So LiteRT gets the neighbouring 32-bit floats as thresholds.
    """
    score, overlap = (np.float32(call.scalar(f"{name}_threshold")) for name in ("score", "iou"))
    options = {
        "max_detections": int(call.scalar("max_detections")),
        # Only used without regular suppression: the number of rows for each box.
        "max_classes_per_detection": 1,
        "detections_per_class": int(call.scalar("max_detections_per_class")),
        "use_regular_nms": True,
        "nms_score_threshold": float(np.nextafter(score, np.float32(np.inf))),
        "nms_iou_threshold": float(np.nextafter(overlap, np.float32(0))),
        "num_classes": call["scores"].dimensions[2] - 1,
        **{f"{axis}_scale": float(call.scalar(f"scale_d{axis}")) for axis in "yxhw"},
    }
    # Imported late, because the table of claims can be read without the extra that writes files.
    from flatbuffers import flexbuffers  # noqa: PLC0415

    scores, boxes, classes, count = call.outputs
    labels, number = emitter.between(scores, classes.dimensions), emitter.between(scores, count.dimensions)
    emitter.add(
        _HEAD,
        [emitter.source(call[name]) for name in ("deltas", "scores", "anchors")],
        [emitter.target(boxes), labels, emitter.target(scores), number],
        custom_options=bytes(flexbuffers.Dumps(options)),
    )
    for found, output in ((labels, classes), (number, count)):
        emitter.add(
            "CAST", [found], emitter.stored(output), in_data_type=TensorType.FLOAT32, out_data_type=TensorType.INT32
        )


_REGULAR: Final = Condition(
    "suppression is class by class: else LiteRT leaves rows without a box as they are",
    lambda call: bool(call.scalar("use_regular_nms")),
)
_ONE_IMAGE: Final = Condition("there is one image", lambda call: call["scores"].dimensions[0] == 1)
_LABELS: Final = Condition(
    "labels start at 0: else rows without a box would have to be left out",
    lambda call: not call.scalar("is_background_in_label"),
)
_OVERLAP: Final = Condition(
    "the threshold of the overlap is above 0 and at most 1, as LiteRT demands",
    lambda call: 0 < call.scalar("iou_threshold") <= 1,
)

CLAIMS: Final[tuple[LiteRtClaim, ...]] = (
    *(
        LiteRtClaim(OperationType[name], f"{target}, RESHAPE", types, _reduction(target))
        for name, target, types in (
            ("MEAN", "MEAN", (*FLOATS, *BOTH_BYTES)),
            ("REDUCE_MAX", "REDUCE_MAX", (*FLOATS, *BOTH_BYTES)),
            ("REDUCE_MIN", "REDUCE_MIN", (*FLOATS, *BOTH_BYTES)),
            ("REDUCE_PROD", "REDUCE_PROD", FLOATS),
            ("REDUCE_SUM", "SUM", FLOATS),
            ("REDUCE_ALL", "REDUCE_ALL", (BOOLEAN,)),
            ("REDUCE_ANY", "REDUCE_ANY", (BOOLEAN,)),
        )
    ),
    LiteRtClaim(_O.ARGMAX, "ARG_MAX, RESHAPE", (*FLOATS, *BOTH_BYTES, INTEGER), _index("ARG_MAX")),
    LiteRtClaim(_O.ARGMIN, "ARG_MIN, RESHAPE", (*FLOATS, *BOTH_BYTES, INTEGER), _index("ARG_MIN")),
    LiteRtClaim(_O.SOFTMAX, "SOFTMAX; TRANSPOSE where the axis is not the last", (*FLOATS, *BOTH_BYTES), _softmax),
    LiteRtClaim(
        _O.LOG_SOFTMAX,
        "LOG_SOFTMAX; TRANSPOSE where the axis is not the last",
        FLOATS,
        _log_softmax,
        (_UNIT_BETA, _LAST_OR_RANK),
    ),
    LiteRtClaim(
        _O.L2_NORMALIZATION,
        "L2_NORMALIZATION; TRANSPOSE where the axis is not the last",
        (*FLOATS, *BOTH_BYTES),
        _l2_normalization,
    ),
    LiteRtClaim(
        _O.LOCAL_RESPONSE_NORMALIZATION,
        "LOCAL_RESPONSE_NORMALIZATION; RESHAPE to rank 4, TRANSPOSE where the axis is not the last",
        FLOATS,
        _local_response,
    ),
    LiteRtClaim(
        _O.INSTANCE_NORMALIZATION, "MEAN, SUB, MUL, ADD, RSQRT; TRANSPOSE for NCHW", FLOATS, _instance_normalization
    ),
    *(
        LiteRtClaim(OperationType[name], f"{name}; TRANSPOSE for NCHW", (*FLOATS, *BOTH_BYTES), _resize(name))
        for name in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
    ),
    LiteRtClaim(
        _O.CAST,
        "CAST",
        (*FLOATS, INTEGER, UNSIGNED),
        _cast,
        (_FLOAT_TO_CODES, _INTEGERS_TO_CODES),
        dict.fromkeys(
            (
                _T.TENSOR_BOOL8,
                _T.TENSOR_QUANT16_ASYMM,
                _T.TENSOR_QUANT16_SYMM,
                _T.TENSOR_QUANT8_ASYMM_SIGNED,
                _T.TENSOR_QUANT8_SYMM,
            ),
            _UNUSUAL,
        ),
    ),
    LiteRtClaim(
        _O.DETECTION_POSTPROCESSING,
        "TFLite_Detection_PostProcess, CAST",
        FLOATS,
        _detection,
        (_REGULAR, _ONE_IMAGE, _LABELS, _OVERLAP),
    ),
    LiteRtClaim(
        _O.QUANTIZE,
        "QUANTIZE",
        FLOATS,
        lambda emitter, call: emitter.add("QUANTIZE", [emitter.source(call["input"])], emitter.target(call.output)),
    ),
    LiteRtClaim(
        _O.DEQUANTIZE,
        "DEQUANTIZE",
        (*BOTH_BYTES, _T.TENSOR_QUANT8_SYMM, _T.TENSOR_QUANT8_SYMM_PER_CHANNEL),
        lambda emitter, call: emitter.add("DEQUANTIZE", [emitter.source(call["input"])], emitter.target(call.output)),
    ),
)
