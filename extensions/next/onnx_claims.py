"""Operations of ``nnvet.next`` that ONNX Runtime computes: the claims of the driver ``-d onnxruntime``.

A claim says which operator of ONNX computes an operation, for which types, and how to write the node. The adapter
imports :data:`CLAIMS` when it is opened and the extension is known (``ExtensionDeclaration.claims``). Functions of
single elements dequantise and quantise codes by operators around them (QDQ form); codes that are only moved stay as
they are. ``torch_claims.py`` does the same for PyTorch.
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
"""Function that writes the nodes for a call of an operation into the model that the emitter builds."""
_WHOLE: Final = ("int32", "int8", "uint8")
"""Types for which ONNX Runtime has no kernel of OneHot, so that the values go through int64."""
_CACHES: Final = 24
"""First version of ONNX's operator set with the operators of ATTENTION and TENSOR_SCATTER.

RMS_NORMALIZATION and ROTARY_EMBEDDING are written for this version, too.
"""


def _claim(code: ExtensionCode, target: str, emit: Emit, *conditions: Condition) -> Claim[OnnxEmitter]:
    return Claim(code, target, TYPES[code], emit, conditions)


def _claim_computed(code: ExtensionCode, target: str, emit: Emit) -> Claim[OnnxEmitter]:
    """Return the claim of a function that is computed in real numbers, also where operands are codes."""

    def emit_call(emitter: OnnxEmitter, call: Call) -> None:
        if call.output.type not in BOTH_BYTES:
            emit(emitter, call)
            return
        with emitter.real_numbers(call.output):
            emit(emitter, call)

    return Claim(code, target, TYPES[code], emit_call)


def _make_node_emitter(
    operator: str, *names: str, opset: int = 0, attributes: Callable[[Call], dict[str, Any]] = lambda _: {}
) -> Emit:
    """Return the function that writes a node with one output.

    ``names`` are the inputs of the operation in the operator's order, of which omitted ones are left out. ``opset`` is
    the version of the operator set that the node needs; ``attributes`` returns the attributes of the node.
    """

    def emit(emitter: OnnxEmitter, call: Call) -> None:
        emitter.need_opset(opset)
        inputs = [emitter.source(call[name]) for name in names if call.has(name)]
        emitter.put(call.output, emitter.add(operator, *inputs, **attributes(call)))

    return emit


def _emit_silu(emitter: OnnxEmitter, call: Call) -> None:
    value = emitter.source(call["input"])
    emitter.put(call.output, emitter.add("Mul", value, emitter.add("Sigmoid", value)))


def _emit_clip(emitter: OnnxEmitter, call: Call) -> None:
    source = call["input"]
    ends = (emitter.number(source, call.scalar(name)) for name in ("low", "high"))
    emitter.put(call.output, emitter.add("Clip", emitter.source(source), *ends))


def _emit_cumsum(emitter: OnnxEmitter, call: Call) -> None:
    axis = emitter.constant(call.scalar("axis"))
    flags = {name: int(call.scalar(name)) for name in ("exclusive", "reverse")}
    emitter.put(call.output, emitter.add("CumSum", emitter.source(call["input"]), axis, **flags))


def _emit_attention(emitter: OnnxEmitter, call: Call) -> None:
    """Write Attention; what a causal call hides is added to the mask, because the operator knows no ``past``."""
    emitter.need_opset(_CACHES)
    query, key = call["query"], call["key"]
    inputs = [emitter.source(call[name]) for name in ("query", "key", "value")]
    mask = emitter.source(call["mask"]) if call.has("mask") else ""
    if call.scalar("causal"):
        seen = np.tril(np.ones((query.dimensions[2], key.dimensions[2]), np.bool_), call.scalar("past"))
        hidden = emitter.constant(np.where(seen, 0.0, -np.inf), _name_computed_type(emitter, query))
        mask = emitter.add("Add", mask, hidden) if mask else hidden
    if mask:
        inputs.append(emitter.add("Expand", mask, emitter.constant([*query.dimensions[:3], key.dimensions[2]])))
    emitter.put(call.output, emitter.add("Attention", *inputs, scale=float(call.scalar("scale"))))


def _name_computed_type(emitter: OnnxEmitter, argument: Argument) -> str:
    return "float16" if emitter.computed_type(argument) == OperandType.TENSOR_FLOAT16 else "float32"


def _emit_trilu(emitter: OnnxEmitter, call: Call) -> None:
    """Write Trilu, but Where for codes: Trilu would fill in 0, while the code of zero is the zero point."""
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


def _emit_where(emitter: OnnxEmitter, call: Call) -> None:
    """Write Where; codes go through 32 bits, because ONNX Runtime has no kernel for signed codes."""
    condition, *values = (emitter.stored(call[name]) for name in ("condition", "yes", "no"))
    if call.output.type not in BOTH_BYTES:
        emitter.put(
            call.output, emitter.add("Where", condition, *(emitter.source(call[name]) for name in ("yes", "no")))
        )
        return
    chosen = emitter.add("Where", condition, *(emitter.cast(value, "int32") for value in values))
    emitter.put(call.output, emitter.cast(chosen, call.output.dtype))


def _make_indexed_emitter(operator: str, *names: str) -> Emit:
    """Return the function that writes an operator whose second input are indices, which ONNX wants in 64 bits."""

    def emit(emitter: OnnxEmitter, call: Call) -> None:
        first, indices, *others = names
        places = emitter.cast(emitter.stored(call[indices]), "int64")
        value = emitter.add(
            operator, emitter.source(call[first]), places, *(emitter.source(call[name]) for name in others)
        )
        emitter.put(call.output, value)

    return emit


def _emit_one_hot(emitter: OnnxEmitter, call: Call) -> None:
    """Write OneHot; integers and codes go through 64 bits, because ONNX Runtime has no kernels for shorter ones."""
    indices, values = emitter.cast(emitter.stored(call["indices"]), "int64"), emitter.source(call["values"])
    depth, axis, is_whole = emitter.constant([call.scalar("depth")]), call.scalar("axis"), call.output.dtype in _WHOLE
    chosen = emitter.add("OneHot", indices, depth, emitter.cast(values, "int64") if is_whole else values, axis=axis)
    emitter.put(call.output, emitter.cast(chosen, call.output.dtype) if is_whole else chosen)


def _emit_tensor_scatter(emitter: OnnxEmitter, call: Call) -> None:
    emitter.need_opset(_CACHES)
    places = emitter.cast(emitter.stored(call["places"]), "int64")
    mode = "circular" if call.scalar("circular") else "linear"
    inputs = [emitter.source(call[name]) for name in ("cache", "update")]
    emitter.put(call.output, emitter.add("TensorScatter", *inputs, places, mode=mode))


def _read_window(call: Call) -> dict[str, Any]:
    found = {name: list(call.vector(name)) for name in ("strides", "dilations", "pads")}
    added = {"output_padding": list(call.vector("output_padding"))} if call.has("output_padding") else {}
    return {**found, **added, "group": int(call.scalar("groups"))}


def _read_equation(call: Call) -> dict[str, Any]:
    return {"equation": equation_of(call)}


def _emit_resize_cubic(emitter: OnnxEmitter, call: Call) -> None:
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
"""Condition of the claim of HYBRID_FULLY_CONNECTED."""


def _emit_dense(emitter: OnnxEmitter, call: Call) -> None:
    with emitter.real_numbers(call.output):
        weights = emitter.permuted(call["weights"], (1, 0))
        products = emitter.add("MatMul", emitter.source(call["input"]), weights)
        emitter.put(call.output, emitter.add("Add", products, emitter.source(call["bias"])))


def _read_epsilon(call: Call) -> dict[str, Any]:
    return {"epsilon": float(call.scalar("epsilon"))}


def _read_normalization(call: Call) -> dict[str, Any]:
    return {"axis": call.scalar("axis"), **_read_epsilon(call)}


def _make_unary_emitter(operator: str) -> Emit:
    return _make_node_emitter(operator, "input")


_FILTERED: Final = ("input", "filter", "bias")
"""Inputs of convolutions in the order of Conv and ConvTranspose."""
CLAIMS: Final = (
    _claim_computed(
        codes.GELU,
        "Gelu",
        _make_node_emitter(
            "Gelu", "input", attributes=lambda call: {"approximate": "tanh" if call.scalar("tanh") else "none"}
        ),
    ),
    _claim_computed(codes.SILU, "Sigmoid, Mul", _emit_silu),
    _claim_computed(codes.MISH, "Mish", _make_unary_emitter("Mish")),
    _claim_computed(codes.SOFTPLUS, "Softplus", _make_unary_emitter("Softplus")),
    _claim_computed(codes.ERF, "Erf", _make_unary_emitter("Erf")),
    _claim(codes.CLIP, "Clip", _emit_clip),
    _claim(codes.SIGN, "Sign", _make_unary_emitter("Sign")),
    _claim(codes.ROUND, "Round", _make_unary_emitter("Round")),
    _claim(
        codes.LAYER_NORMALIZATION,
        "LayerNormalization",
        _make_node_emitter("LayerNormalization", "input", "scale", "bias", attributes=_read_normalization),
    ),
    _claim(
        codes.RMS_NORMALIZATION,
        "RMSNormalization",
        _make_node_emitter("RMSNormalization", "input", "scale", opset=_CACHES, attributes=_read_normalization),
    ),
    _claim(
        codes.GROUP_NORMALIZATION,
        "GroupNormalization",
        _make_node_emitter(
            "GroupNormalization",
            "input",
            "scale",
            "bias",
            attributes=lambda call: {"num_groups": call.scalar("groups"), **_read_epsilon(call)},
        ),
    ),
    _claim(codes.MATMUL, "MatMul", _make_node_emitter("MatMul", "first", "second")),
    _claim(codes.CUMSUM, "CumSum", _emit_cumsum),
    _claim(codes.ATTENTION, "Attention; Add and Expand for its mask", _emit_attention),
    _claim(codes.TRILU, "Trilu; Where for codes", _emit_trilu),
    _claim(codes.WHERE, "Where; Cast for codes", _emit_where),
    _claim(codes.GATHER_ND, "GatherND", _make_indexed_emitter("GatherND", "input", "indices")),
    _claim(codes.SCATTER_ND, "ScatterND", _make_indexed_emitter("ScatterND", "input", "indices", "updates")),
    _claim(codes.ONE_HOT, "OneHot", _emit_one_hot),
    _claim(codes.TENSOR_SCATTER, "TensorScatter", _emit_tensor_scatter),
    _claim(codes.CONV_1D, "Conv", _make_node_emitter("Conv", *_FILTERED, attributes=_read_window)),
    _claim(codes.CONV_3D, "Conv", _make_node_emitter("Conv", *_FILTERED, attributes=_read_window)),
    _claim(
        codes.CONV_TRANSPOSE, "ConvTranspose", _make_node_emitter("ConvTranspose", *_FILTERED, attributes=_read_window)
    ),
    _claim(codes.EINSUM, "Einsum", _make_node_emitter("Einsum", "first", "second", attributes=_read_equation)),
    _claim(codes.HYBRID_FULLY_CONNECTED, "DequantizeLinear, MatMul, Add", _emit_dense, _VARIABLE_WEIGHTS),
    _claim(codes.RESIZE_CUBIC, "Resize", _emit_resize_cubic),
    _claim(
        codes.ROTARY_EMBEDDING,
        "RotaryEmbedding",
        _make_node_emitter(
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
"""All operations that ONNX Runtime computes.

DYNAMIC_QUANTIZE is left out: DynamicQuantizeLinear returns codes of 8 bits, not 32, and another scale if all is zero.
"""
OPENVINO_CLAIMS: Final = tuple(claim for claim in CLAIMS if claim.operation != codes.TENSOR_SCATTER)
"""All operations that OpenVINO computes: version 2026.4 refuses models with TensorScatter."""
