"""Rows of the table of ONNX for reductions, normalisations, resizing, and changes of type.

Rows are claims (:mod:`nnvet.adapters.runtimes.claims`); building blocks are in :mod:`nnvet.adapters.onnxruntime.forms`.
"""

from __future__ import annotations

from typing import Final

from nnvet.adapters.onnxruntime.emitter import Encoding, OnnxEmitter
from nnvet.adapters.onnxruntime.forms import Emit, OnnxClaim, claimed, image_input, image_shape, in_layout
from nnvet.adapters.runtimes import claims
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.reduction import reduced_axes
from nnvet.hal.operations.resize import new_sizes

_T = OperandType
_SMALLEST_NORM: Final = 1e-6
"""Smallest norm by which the contract divides."""


def _reduced(emitter: OnnxEmitter, call: Call, operator: str, value: str) -> str:
    """Emit a reduction to the shape of the output, and return its value."""
    axes = emitter.constant(list(reduced_axes(call)))
    return emitter.reshaped(emitter.add(operator, value, axes, keepdims=1), call.output.dimensions)


def _reduction(operator: str) -> Emit:
    def emit(emitter: OnnxEmitter, call: Call) -> None:
        emitter.put(call.output, _reduced(emitter, call, operator, emitter.source(call["input"])))

    return emit


def _of_truths(operator: str) -> Emit:
    """Return the function that emits a reduction of booleans as the numbers 0 and 1."""

    def emit(emitter: OnnxEmitter, call: Call) -> None:
        numbers = emitter.cast(emitter.source(call["input"]), "int32")
        emitter.put(call.output, emitter.cast(_reduced(emitter, call, operator, numbers), "bool"))

    return emit


def _index(operator: str) -> Emit:
    def emit(emitter: OnnxEmitter, call: Call) -> None:
        argument = call["input"]
        value = emitter.source(argument)
        if emitter.computed_type(argument) in claims.BOTH_BYTES:
            value = emitter.cast(value, "int32")
        found = emitter.add(operator, value, axis=call.scalar("axis"), keepdims=1)
        emitter.put(call.output, emitter.reshaped(emitter.cast(found, "int32"), call.output.dimensions))

    return emit


def _scaled_codes(emitter: OnnxEmitter, argument: Argument, value: str, factor: float) -> str:
    """Return codes multiplied by ``factor``: the codes stay the same, and their scale is multiplied."""
    if factor == 1:
        return value
    one = emitter.decoded(emitter.constant(1, argument.dtype), argument.dtype, Encoding((factor,)))
    return emitter.encoded(emitter.add("Mul", value, one), argument.dtype, Encoding.of(argument, factor))


def _softmax(operator: str) -> Emit:
    """Return the function that emits Softmax.

    Beta multiplies the differences from the largest element, as in the contract, to limit errors.
    """

    def emit(emitter: OnnxEmitter, call: Call) -> None:
        argument, axis = call["input"], call.scalar("axis", -1)
        value, beta = emitter.source(argument), call.scalar("beta")
        if emitter.computes_real_numbers:
            value = _scaled_codes(emitter, argument, value, beta)
        elif beta != 1:
            largest = emitter.add("ReduceMax", value, emitter.constant([axis]), keepdims=1)
            value = emitter.add("Mul", emitter.add("Sub", value, largest), emitter.number(argument, beta))
        emitter.put(call.output, emitter.add(operator, value, axis=axis))

    return emit


def _l2_normalization(emitter: OnnxEmitter, call: Call) -> None:
    argument = call["input"]
    value = emitter.source(argument)
    if emitter.computes_real_numbers:
        emitter.put(call.output, emitter.add("LpNormalization", value, axis=call.scalar("axis", -1), p=2))
        return
    axis = emitter.constant([call.scalar("axis", -1)])
    norm = emitter.add("ReduceL2", value, axis, keepdims=1)
    bounded = emitter.add("Max", norm, emitter.number(argument, _SMALLEST_NORM))
    emitter.put(call.output, emitter.add("Div", value, bounded))


def _local_response(emitter: OnnxEmitter, call: Call) -> None:
    """Emit LRN, which works along the second of four dimensions in ONNX, and divides alpha by the number of cells."""
    argument = call["input"]
    axis, sizes = call.scalar("axis", -1) % argument.rank, argument.dimensions
    cells = 2 * min(call.scalar("radius"), sizes[axis]) + 1
    before, after = 1, 1
    for position, size in enumerate(sizes):
        before, after = (before * size, after) if position < axis else (before, after * size)
    images = emitter.reshaped(emitter.source(argument), (before, sizes[axis], after // sizes[axis], 1))
    numbers = {name: float(call.scalar(name)) for name in ("bias", "beta")}
    result = emitter.add("LRN", images, alpha=float(call.scalar("alpha")) * cells, size=cells, **numbers)
    emitter.put(call.output, emitter.reshaped(result, sizes))


def _instance_normalization(emitter: OnnxEmitter, call: Call) -> None:
    _, channels, _, _ = image_shape(call, call["input"])
    kind = claims.element_name(emitter.computed_type(call["input"]))
    weights = [emitter.constant([call.scalar(name)] * channels, kind) for name in ("gamma", "beta")]
    inputs = [image_input(emitter, call), *weights]
    value = emitter.add("InstanceNormalization", *inputs, epsilon=float(call.scalar("epsilon")))
    emitter.put(call.output, in_layout(emitter, call, value))


def _resize(mode: str) -> Emit:
    """Return the function that emits a resize to a constant size."""

    def emit(emitter: OnnxEmitter, call: Call) -> None:
        n, c, _, _ = image_shape(call, call["input"])
        sizes = emitter.constant([n, c, *new_sizes(call)])
        attributes = {"mode": mode, "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        if call.scalar("align_corners", False):
            attributes |= {"coordinate_transformation_mode": "align_corners", "nearest_mode": "round_prefer_ceil"}
        elif call.scalar("half_pixel_centers", False):
            attributes |= {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_ceil"}
        value = emitter.add("Resize", image_input(emitter, call), "", "", sizes, **attributes)
        emitter.put(call.output, in_layout(emitter, call, value))

    return emit


def _cast(emitter: OnnxEmitter, call: Call) -> None:
    dtype = claims.element_name(emitter.computed_type(call.output))
    emitter.put(call.output, emitter.cast(emitter.source(call["input"]), dtype))


def _dequantize(emitter: OnnxEmitter, call: Call) -> None:
    """Read codes as real numbers; from 32-bit scales, DequantizeLinear can only make 32-bit floats."""
    argument = call["input"]
    value = emitter.decoded(emitter.stored(argument), argument.dtype, Encoding.of(argument))
    kind = claims.element_name(emitter.computed_type(call.output))
    emitter.put(call.output, emitter.cast(value, kind) if kind == "float16" else value)


def _quantize(emitter: OnnxEmitter, call: Call) -> None:
    value = emitter.source(call["input"])
    is_half = emitter.computed_type(call["input"]) == _T.TENSOR_FLOAT16
    emitter.put(call.output, emitter.cast(value, "float32") if is_half else value)


_NOT_TO_CODES: Final = claims.Condition(
    "numbers are not cast to codes: the contract clamps them, ONNX does not define the result outside of 0 to 255",
    lambda call: call.output.type != claims.UNSIGNED or call["input"].type == claims.UNSIGNED,
)
_NOT_TO_INTEGERS: Final = claims.Condition(
    "floats are not cast to integers: the contract saturates them, ONNX does not define results outside of the range",
    lambda call: call.output.type != claims.INTEGER or call["input"].type not in claims.FLOATS,
)
_POSITIVE: Final = claims.Condition(
    "alpha and beta are positive: ONNX Runtime refuses others",
    lambda call: call.scalar("alpha") > 0 and call.scalar("beta") > 0,
)
_CAST: Final = (
    *claims.FLOATS,
    claims.INTEGER,
    claims.UNSIGNED,
    _T.TENSOR_QUANT8_ASYMM_SIGNED,
    _T.TENSOR_QUANT8_SYMM,
    _T.TENSOR_QUANT16_ASYMM,
    _T.TENSOR_QUANT16_SYMM,
)

CLAIMS: Final[tuple[OnnxClaim, ...]] = (
    *(
        claimed(name, f"{operator}, Reshape", types, _reduction(operator), qdq=codes)
        for name, operator, types, codes in (
            ("MEAN", "ReduceMean", claims.FLOATS, claims.BOTH_BYTES),
            ("REDUCE_MAX", "ReduceMax", (*claims.FLOATS, *claims.BOTH_BYTES), ()),
            ("REDUCE_MIN", "ReduceMin", (*claims.FLOATS, *claims.BOTH_BYTES), ()),
            ("REDUCE_PROD", "ReduceProd", claims.FLOATS, ()),
            ("REDUCE_SUM", "ReduceSum", claims.FLOATS, ()),
        )
    ),
    claimed("REDUCE_ALL", "Cast, ReduceMin, Reshape", (claims.BOOLEAN,), _of_truths("ReduceMin")),
    claimed("REDUCE_ANY", "Cast, ReduceMax, Reshape", (claims.BOOLEAN,), _of_truths("ReduceMax")),
    claimed("ARGMAX", "ArgMax, Cast, Reshape", (*claims.FLOATS, *claims.BOTH_BYTES, claims.INTEGER), _index("ArgMax")),
    claimed("ARGMIN", "ArgMin, Cast, Reshape", (*claims.FLOATS, *claims.BOTH_BYTES, claims.INTEGER), _index("ArgMin")),
    claimed("SOFTMAX", "ReduceMax, Sub, Mul, Softmax", claims.FLOATS, _softmax("Softmax"), qdq=claims.BOTH_BYTES),
    claimed("LOG_SOFTMAX", "ReduceMax, Sub, Mul, LogSoftmax", claims.FLOATS, _softmax("LogSoftmax")),
    claimed(
        "L2_NORMALIZATION",
        "ReduceL2, Max, Div; LpNormalization of codes",
        claims.FLOATS,
        _l2_normalization,
        qdq=claims.BOTH_BYTES,
    ),
    claimed("LOCAL_RESPONSE_NORMALIZATION", "LRN between two Reshape", claims.FLOATS, _local_response, _POSITIVE),
    claimed(
        "INSTANCE_NORMALIZATION", "InstanceNormalization; Transpose for NHWC", claims.FLOATS, _instance_normalization
    ),
    claimed("RESIZE_BILINEAR", "Resize; Transpose for NHWC", claims.FLOATS, _resize("linear"), qdq=claims.BOTH_BYTES),
    claimed(
        "RESIZE_NEAREST_NEIGHBOR",
        "Resize; Transpose for NHWC",
        (*claims.FLOATS, *claims.BOTH_BYTES),
        _resize("nearest"),
        claims.same_codes("input"),
    ),
    claimed(
        "CAST",
        "Cast",
        _CAST,
        _cast,
        _NOT_TO_CODES,
        _NOT_TO_INTEGERS,
        about_codes=True,
        otherwise="booleans lose their other bits",
    ),
    claimed("QUANTIZE", "QuantizeLinear", (), _quantize, qdq=claims.FLOATS),
    claimed(
        "DEQUANTIZE",
        "DequantizeLinear",
        (*claims.BOTH_BYTES, _T.TENSOR_QUANT8_SYMM, _T.TENSOR_QUANT8_SYMM_PER_CHANNEL),
        _dequantize,
        about_codes=True,
    ),
)
