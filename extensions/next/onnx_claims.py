"""Operations of ``nnvet.next`` that ONNX Runtime computes, each by the operator whose semantics it has.

The adapter imports this module when it is opened and the extension is known (``ExtensionDeclaration.claims``).
Functions of one element of codes are written in QDQ form; codes that are only moved stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from nnvet.adapters.onnxruntime.emitter import OnnxEmitter
from nnvet.adapters.runtimes.claims import BOTH_BYTES, Claim, Condition
from nnvet.extensions.next import codes
from nnvet.extensions.next.declarations import TYPES
from nnvet.extensions.next.declarations.sums import equation_of
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import ExtensionCode
from nnvet.hal.operations.declaration import Argument, Call

Emit = Callable[[OnnxEmitter, Call], None]
_WHOLE: Final = ("int32", "int8", "uint8")
_CACHES: Final = 24
"""The set of operators in which ATTENTION, RMS_NORMALIZATION, ROTARY_EMBEDDING and TENSOR_SCATTER have their form."""


def _claimed(code: ExtensionCode, target: str, emit: Emit, *conditions: Condition) -> Claim[OnnxEmitter]:
    return Claim(code, target, TYPES[code], emit, conditions)


def _computed(code: ExtensionCode, target: str, emit: Emit) -> Claim[OnnxEmitter]:
    """Return a claim whose codes are computed as real numbers."""

    def emit_call(emitter: OnnxEmitter, call: Call) -> None:
        if call.output.type not in BOTH_BYTES:
            emit(emitter, call)
            return
        with emitter.real_numbers(call.output):
            emit(emitter, call)

    return Claim(code, target, TYPES[code], emit_call)


def _node(
    operator: str, *names: str, opset: int = 0, attributes: Callable[[Call], dict[str, Any]] = lambda _: {}
) -> Emit:
    """Return the emitter of an operator with one output, whose last inputs may be omitted."""

    def emit(emitter: OnnxEmitter, call: Call) -> None:
        emitter.need_opset(opset)
        inputs = [emitter.source(call[name]) for name in names if call.has(name)]
        emitter.put(call.output, emitter.add(operator, *inputs, **attributes(call)))

    return emit


def _silu(emitter: OnnxEmitter, call: Call) -> None:
    value = emitter.source(call["input"])
    emitter.put(call.output, emitter.add("Mul", value, emitter.add("Sigmoid", value)))


def _clip(emitter: OnnxEmitter, call: Call) -> None:
    source = call["input"]
    ends = (emitter.number(source, call.scalar(name)) for name in ("low", "high"))
    emitter.put(call.output, emitter.add("Clip", emitter.source(source), *ends))


def _cumsum(emitter: OnnxEmitter, call: Call) -> None:
    axis = emitter.constant(call.scalar("axis"))
    flags = {name: int(call.scalar(name)) for name in ("exclusive", "reverse")}
    emitter.put(call.output, emitter.add("CumSum", emitter.source(call["input"]), axis, **flags))


def _attention(emitter: OnnxEmitter, call: Call) -> None:
    """Emit Attention; a causal one gets its triangle by the mask, because the operator has no number of the past."""
    emitter.need_opset(_CACHES)
    query, key = call["query"], call["key"]
    inputs = [emitter.source(call[name]) for name in ("query", "key", "value")]
    mask = emitter.source(call["mask"]) if call.has("mask") else ""
    if call.scalar("causal"):
        seen = np.tril(np.ones((query.dimensions[2], key.dimensions[2]), np.bool_), call.scalar("past"))
        hidden = emitter.constant(np.where(seen, 0.0, -np.inf), _computed_name(emitter, query))
        mask = emitter.add("Add", mask, hidden) if mask else hidden
    if mask:
        inputs.append(emitter.add("Expand", mask, emitter.constant([*query.dimensions[:3], key.dimensions[2]])))
    emitter.put(call.output, emitter.add("Attention", *inputs, scale=float(call.scalar("scale"))))


def _computed_name(emitter: OnnxEmitter, argument: Argument) -> str:
    return "float16" if emitter.computed_type(argument) == OperandType.TENSOR_FLOAT16 else "float32"


def _trilu(emitter: OnnxEmitter, call: Call) -> None:
    """Emit Trilu; of codes a selection, because zeros are codes of the zero point."""
    source, diagonal, is_upper = call["input"], call.scalar("diagonal"), bool(call.scalar("upper"))
    if source.type in BOTH_BYTES:
        rows, columns = source.dimensions[-2:]
        above = np.arange(columns) - np.arange(rows)[:, None]
        is_kept = emitter.constant(above >= diagonal if is_upper else above <= diagonal, "bool")
        zero = emitter.constant(source.zero_point, "int32")
        kept = emitter.add("Where", is_kept, emitter.cast(emitter.stored(source), "int32"), zero)
        emitter.put(call.output, emitter.cast(kept, source.dtype))
        return
    value = emitter.add("Trilu", emitter.source(source), emitter.constant(diagonal), upper=int(is_upper))
    emitter.put(call.output, value)


def _where(emitter: OnnxEmitter, call: Call) -> None:
    """Emit Where; codes go through 32 bits, because there is no kernel for signed ones."""
    condition, *values = (emitter.stored(call[name]) for name in ("condition", "yes", "no"))
    if call.output.type not in BOTH_BYTES:
        emitter.put(
            call.output, emitter.add("Where", condition, *(emitter.source(call[name]) for name in ("yes", "no")))
        )
        return
    chosen = emitter.add("Where", condition, *(emitter.cast(value, "int32") for value in values))
    emitter.put(call.output, emitter.cast(chosen, call.output.dtype))


def _at_indices(operator: str, *names: str) -> Emit:
    """Return the emitter of an operator whose second input are indices, in 64 bits."""

    def emit(emitter: OnnxEmitter, call: Call) -> None:
        first, indices, *others = names
        places = emitter.cast(emitter.stored(call[indices]), "int64")
        value = emitter.add(
            operator, emitter.source(call[first]), places, *(emitter.source(call[name]) for name in others)
        )
        emitter.put(call.output, value)

    return emit


def _one_hot(emitter: OnnxEmitter, call: Call) -> None:
    """Emit OneHot; whole numbers and codes go through 64 bits, because there are no kernels for others."""
    indices, values = emitter.cast(emitter.stored(call["indices"]), "int64"), emitter.source(call["values"])
    depth, axis, is_whole = emitter.constant([call.scalar("depth")]), call.scalar("axis"), call.output.dtype in _WHOLE
    chosen = emitter.add("OneHot", indices, depth, emitter.cast(values, "int64") if is_whole else values, axis=axis)
    emitter.put(call.output, emitter.cast(chosen, call.output.dtype) if is_whole else chosen)


def _tensor_scatter(emitter: OnnxEmitter, call: Call) -> None:
    emitter.need_opset(_CACHES)
    places = emitter.cast(emitter.stored(call["places"]), "int64")
    mode = "circular" if call.scalar("circular") else "linear"
    inputs = [emitter.source(call[name]) for name in ("cache", "update")]
    emitter.put(call.output, emitter.add("TensorScatter", *inputs, places, mode=mode))


def _window(call: Call) -> dict[str, Any]:
    found = {name: list(call.vector(name)) for name in ("strides", "dilations", "pads")}
    added = {"output_padding": list(call.vector("output_padding"))} if call.has("output_padding") else {}
    return {**found, **added, "group": int(call.scalar("groups"))}


def _einsum(call: Call) -> dict[str, Any]:
    return {"equation": equation_of(call)}


def _resize_cubic(emitter: OnnxEmitter, call: Call) -> None:
    source = call["input"]
    sizes = emitter.constant([*source.dimensions[:2], call.scalar("height"), call.scalar("width")])
    mode = "align_corners" if call.scalar("align_corners") else "half_pixel"
    value = emitter.add(
        "Resize",
        emitter.source(source),
        "",
        "",
        sizes,
        mode="cubic",
        coordinate_transformation_mode=mode,
        cubic_coeff_a=-0.75,
    )
    emitter.put(call.output, value)


_VARIABLE_WEIGHTS: Final = Condition(
    "weights are variable: ONNX Runtime multiplies constant ones in 8 bits, which an option of sessions can forbid"
    " (session.qdq_matmulnbits_accuracy_level)",
    lambda call: not call["weights"].constant,
)


def _dense(emitter: OnnxEmitter, call: Call) -> None:
    with emitter.real_numbers(call.output):
        weights = emitter.permuted(call["weights"], (1, 0))
        products = emitter.add("MatMul", emitter.source(call["input"]), weights)
        emitter.put(call.output, emitter.add("Add", products, emitter.source(call["bias"])))


def _epsilon(call: Call) -> dict[str, Any]:
    return {"epsilon": float(call.scalar("epsilon"))}


def _normalized(call: Call) -> dict[str, Any]:
    return {"axis": call.scalar("axis"), **_epsilon(call)}


def _unary(operator: str) -> Emit:
    return _node(operator, "input")


_FILTERED: Final = ("input", "filter", "bias")
CLAIMS: Final = (
    _computed(
        codes.GELU,
        "Gelu",
        _node("Gelu", "input", attributes=lambda call: {"approximate": "tanh" if call.scalar("tanh") else "none"}),
    ),
    _computed(codes.SILU, "Sigmoid, Mul", _silu),
    _computed(codes.MISH, "Mish", _unary("Mish")),
    _computed(codes.SOFTPLUS, "Softplus", _unary("Softplus")),
    _computed(codes.ERF, "Erf", _unary("Erf")),
    _claimed(codes.CLIP, "Clip", _clip),
    _claimed(codes.SIGN, "Sign", _unary("Sign")),
    _claimed(codes.ROUND, "Round", _unary("Round")),
    _claimed(
        codes.LAYER_NORMALIZATION,
        "LayerNormalization",
        _node("LayerNormalization", "input", "scale", "bias", attributes=_normalized),
    ),
    _claimed(
        codes.RMS_NORMALIZATION,
        "RMSNormalization",
        _node("RMSNormalization", "input", "scale", opset=_CACHES, attributes=_normalized),
    ),
    _claimed(
        codes.GROUP_NORMALIZATION,
        "GroupNormalization",
        _node(
            "GroupNormalization",
            "input",
            "scale",
            "bias",
            attributes=lambda call: {"num_groups": call.scalar("groups"), **_epsilon(call)},
        ),
    ),
    _claimed(codes.MATMUL, "MatMul", _node("MatMul", "first", "second")),
    _claimed(codes.CUMSUM, "CumSum", _cumsum),
    _claimed(codes.ATTENTION, "Attention; Add and Expand for its mask", _attention),
    _claimed(codes.TRILU, "Trilu; Where for codes", _trilu),
    _claimed(codes.WHERE, "Where; Cast for codes", _where),
    _claimed(codes.GATHER_ND, "GatherND", _at_indices("GatherND", "input", "indices")),
    _claimed(codes.SCATTER_ND, "ScatterND", _at_indices("ScatterND", "input", "indices", "updates")),
    _claimed(codes.ONE_HOT, "OneHot", _one_hot),
    _claimed(codes.TENSOR_SCATTER, "TensorScatter", _tensor_scatter),
    _claimed(codes.CONV_1D, "Conv", _node("Conv", *_FILTERED, attributes=_window)),
    _claimed(codes.CONV_3D, "Conv", _node("Conv", *_FILTERED, attributes=_window)),
    _claimed(codes.CONV_TRANSPOSE, "ConvTranspose", _node("ConvTranspose", *_FILTERED, attributes=_window)),
    _claimed(codes.EINSUM, "Einsum", _node("Einsum", "first", "second", attributes=_einsum)),
    _claimed(codes.HYBRID_FULLY_CONNECTED, "DequantizeLinear, MatMul, Add", _dense, _VARIABLE_WEIGHTS),
    _claimed(codes.RESIZE_CUBIC, "Resize", _resize_cubic),
    _claimed(
        codes.ROTARY_EMBEDDING,
        "RotaryEmbedding",
        _node(
            "RotaryEmbedding",
            "input",
            "cosines",
            "sines",
            opset=_CACHES,
            attributes=lambda call: {
                "interleaved": int(call.scalar("interleaved")),
                "rotary_embedding_dim": 2 * call["cosines"].dimensions[2],
            },
        ),
    ),
)
"""DYNAMIC_QUANTIZE is left out: its codes have 32 bits, and where all is zero another scale."""
