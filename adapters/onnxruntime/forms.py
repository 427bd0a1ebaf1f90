"""Building blocks of ONNX's table of claims, and its rows for elementwise operations.

A row is a claim (:mod:`nnvet.adapters.runtimes.claims`): the types and conditions, and a function that emits the nodes.
The building blocks are reasons, layouts and fused activations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Final

from nnvet.adapters.onnxruntime.emitter import OnnxEmitter
from nnvet.adapters.runtimes import claims
from nnvet.hal.enums import FusedActivationFunc, OperandType, OperationType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.shapes import is_nchw

OnnxClaim = claims.Claim[OnnxEmitter]
Emit = Callable[[OnnxEmitter, Call], None]
# Reason for types without QDQ form (see ``emitter.py``), and orders of dimensions that change the layout.
UNTOLD: Final = "ONNX has no QDQ form of it"
TO_NCHW: Final = (0, 3, 1, 2)
TO_NHWC: Final = (0, 2, 3, 1)
_HIGHEST: Final = 6
"""Upper bound of RELU6."""
_BOUNDS: Final = {FusedActivationFunc.RELU1: (-1, 1), FusedActivationFunc.RELU6: (0, _HIGHEST)}


def claimed(
    name: str,
    target: str,
    types: Iterable[OperandType],
    emit: Emit,
    *conditions: claims.Condition,
    qdq: Iterable[OperandType] = (),
    about_codes: bool = False,
    otherwise: str = UNTOLD,
) -> OnnxClaim:
    """Return a claim of ``types`` directly, and of ``qdq`` as real numbers; other types get the reason ``otherwise``.

    Operations that are ``about_codes`` have no QDQ form, because their results depend on the codes themselves.
    """
    operation, real = OperationType[name], frozenset(qdq)
    kinds = tuple(dict.fromkeys((*types, *qdq)))
    others = {OperandType(row.types["T"]) for row in declarations()[operation].rows} - {*kinds}
    excluded = dict.fromkeys(sorted(others), otherwise)
    moved = frozenset() if about_codes else frozenset(kind for kind in kinds if type_info(kind).is_quantized)
    return claims.Claim(operation, target, kinds, partial(_emit, emit, real, moved), conditions, excluded)


def _emit(
    emit: Emit, real: Collection[OperandType], moved: Collection[OperandType], emitter: OnnxEmitter, call: Call
) -> None:
    """Emit a call; its codes are computed as real numbers if the claim says so, or the runtime has no other form."""
    kind = claims.data_type(call)
    if kind in real or (emitter.moves_real_numbers and kind in moved):
        with emitter.real_numbers(call.outputs[0]):
            emit(emitter, call)
    else:
        emit(emitter, call)


def unary(operator: str) -> Emit:
    """Return the emitter of an operator with one input and one output."""
    return lambda emitter, call: emitter.put(call.output, emitter.add(operator, emitter.source(call["input"])))


def clamped(emitter: OnnxEmitter, value: str, argument: Argument, low: float, high: float) -> str:
    """Return the value clamped to bounds."""
    return emitter.add("Clip", value, emitter.number(argument, low), emitter.number(argument, high))


def put_activated(emitter: OnnxEmitter, call: Call, value: str) -> None:
    """Set the output to the value after the call's fused activation."""
    emitter.put(call.output, activated(emitter, call, value))


def activated(emitter: OnnxEmitter, call: Call, value: str) -> str:
    """Return the value after the call's fused activation. Codes are rounded first, since the contract clamps codes."""
    code = call.scalar("activation")
    if code == FusedActivationFunc.NONE:
        return value
    value = emitter.settled(value, call.output)
    if code == FusedActivationFunc.RELU:
        return emitter.add("Relu", value)
    return clamped(emitter, value, call.output, *_BOUNDS[code])


def image_input(emitter: OnnxEmitter, call: Call, name: str = "input") -> str:
    """Return an input of images in the layout of ONNX: NCHW."""
    return emitter.source(call[name]) if is_nchw(call) else emitter.permuted(call[name], TO_NCHW)


def in_layout(emitter: OnnxEmitter, call: Call, value: str) -> str:
    """Return images of ONNX in the layout of the call."""
    return value if is_nchw(call) else emitter.add("Transpose", value, perm=list(TO_NHWC))


def image_shape(call: Call, argument: Argument) -> tuple[int, int, int, int]:
    """Return batches, channels, height and width of images."""
    first, second, third, fourth = argument.dimensions
    return (first, second, third, fourth) if is_nchw(call) else (first, fourth, second, third)


_SAME: Final = claims.same_codes("input0", "input1")


def _sources(emitter: OnnxEmitter, call: Call) -> list[str]:
    return [emitter.source(argument) for argument in list(call.inputs.values())[:2]]


def _binary(operator: str) -> Emit:
    return lambda emitter, call: emitter.put(call.output, emitter.add(operator, *_sources(emitter, call)))


def _arithmetic(operator: str) -> Emit:
    return lambda emitter, call: put_activated(emitter, call, emitter.add(operator, *_sources(emitter, call)))


def _divide(emitter: OnnxEmitter, call: Call) -> None:
    """Emit DIV; integers are divided in 64 bits: rounded down, x / 0 is 0, the lowest number / -1 is itself."""
    if call.output.type != claims.INTEGER:
        _arithmetic("Div")(emitter, call)
        return
    first, second = (emitter.cast(source, "int64") for source in _sources(emitter, call))
    zero, one = emitter.constant(0), emitter.constant(1)
    is_zero = emitter.add("Equal", second, zero)
    divisor = emitter.add("Where", is_zero, one, second)
    multiple = emitter.add("Sub", first, emitter.add("Mod", first, divisor))
    quotient = emitter.add("Where", is_zero, zero, emitter.add("Div", multiple, divisor))
    emitter.put(call.output, emitter.cast(quotient, "int32"))


_EXTREMES: Final = {"Greater": "Max", "Less": "Min"}


def _extreme(comparison: str) -> Emit:
    """Emit MAXIMUM or MINIMUM as a selection, which returns the first operand beside a NaN, like the contract."""

    def emit(emitter: OnnxEmitter, call: Call) -> None:
        first, second = _sources(emitter, call)
        if emitter.computes_real_numbers:
            emitter.put(call.output, emitter.add(_EXTREMES[comparison], first, second))
            return
        if call.output.type in claims.BOTH_BYTES:
            first, second = (emitter.cast(operand, "int32") for operand in (first, second))
        beyond = emitter.add(comparison, second, first)
        result = emitter.add("Where", beyond, second, first)
        if call.output.type in claims.BOTH_BYTES:
            result = emitter.cast(result, call.output.dtype)
        emitter.put(call.output, result)

    return emit


def _compare(operator: str, *, negated: bool = False) -> Emit:
    """Emit a comparison; codes and booleans are compared as integers, since ONNX Runtime lacks kernels for some."""

    def emit(emitter: OnnxEmitter, call: Call) -> None:
        sources = _sources(emitter, call)
        if emitter.computed_type(next(iter(call.inputs.values()))) in (*claims.BOTH_BYTES, claims.BOOLEAN):
            sources = [emitter.cast(source, "int32") for source in sources]
        result = emitter.add(operator, *sources)
        emitter.put(call.output, emitter.add("Not", result) if negated else result)

    return emit


def _prelu(emitter: OnnxEmitter, call: Call) -> None:
    """Emit PRELU; on floats by simpler operators, because ONNX's PRelu broadcasts only the slopes."""
    value, slope = (emitter.source(call[name]) for name in ("input", "alpha"))
    if emitter.computes_real_numbers:
        emitter.put(call.output, emitter.add("PRelu", value, slope))
        return
    below = emitter.add("Less", value, emitter.number(call["input"], 0))
    emitter.put(call.output, emitter.add("Where", below, emitter.add("Mul", value, slope), value))


def _select(emitter: OnnxEmitter, call: Call) -> None:
    """Emit Where; signed codes go through 32 bits, because there is no kernel for them."""
    condition, *values = (emitter.source(call[name]) for name in ("condition", "input0", "input1"))
    if emitter.computed_type(call.output) != claims.SIGNED:
        emitter.put(call.output, emitter.add("Where", condition, *values))
        return
    chosen = emitter.add("Where", condition, *(emitter.cast(value, "int32") for value in values))
    emitter.put(call.output, emitter.cast(chosen, "int8"))


def _clip(low: float, high: float) -> Emit:
    def emit(emitter: OnnxEmitter, call: Call) -> None:
        argument = call["input"]
        emitter.put(call.output, clamped(emitter, emitter.source(argument), argument, low, high))

    return emit


def _rsqrt(emitter: OnnxEmitter, call: Call) -> None:
    emitter.put(call.output, emitter.add("Reciprocal", emitter.add("Sqrt", emitter.source(call["input"]))))


def _elu(emitter: OnnxEmitter, call: Call) -> None:
    emitter.put(call.output, emitter.add("Elu", emitter.source(call["input"]), alpha=float(call.scalar("alpha"))))


_NOT_NEGATIVE: Final = claims.Condition(
    "alpha is not negative: with a negative one the contract has another result for positive numbers",
    lambda call: call.scalar("alpha") >= 0,
)
_SLOPES: Final = claims.Condition(
    "alpha of codes has no larger shape than the input: ONNX's PRelu broadcasts the slopes alone",
    lambda call: call.output.type not in claims.BOTH_BYTES or call["input"].dimensions == call.output.dimensions,
)
_COMPARED: Final = (*claims.FLOATS, claims.INTEGER, *claims.BOTH_BYTES, claims.BOOLEAN)
_COMPARISONS: Final = (
    ("EQUAL", "Equal", _compare("Equal")),
    ("NOT_EQUAL", "Equal, Not", _compare("Equal", negated=True)),
    ("LESS", "Less", _compare("Less")),
    ("LESS_EQUAL", "LessOrEqual", _compare("LessOrEqual")),
    ("GREATER", "Greater", _compare("Greater")),
    ("GREATER_EQUAL", "GreaterOrEqual", _compare("GreaterOrEqual")),
)
_UNARY: Final = (
    ("EXP", "Exp", ()),
    ("FLOOR", "Floor", ()),
    ("HARD_SWISH", "HardSwish", claims.BOTH_BYTES),
    ("LOG", "Log", ()),
    ("LOGISTIC", "Sigmoid", claims.BOTH_BYTES),
    ("RELU", "Relu", claims.BOTH_BYTES),
    ("SIN", "Sin", ()),
    ("SQRT", "Sqrt", ()),
    ("TANH", "Tanh", claims.BOTH_BYTES),
)


CLAIMS: Final[tuple[OnnxClaim, ...]] = (
    *(
        claimed(
            name,
            f"{operator}, and Relu or Clip for an activation",
            (*claims.FLOATS, claims.INTEGER),
            _arithmetic(operator),
            qdq=claims.BOTH_BYTES,
        )
        for name, operator in (("ADD", "Add"), ("SUB", "Sub"), ("MUL", "Mul"))
    ),
    claimed(
        "DIV",
        "Div; Mod, Sub, Div and Where in 64 bits for integers",
        (*claims.FLOATS, claims.INTEGER),
        _divide,
        otherwise="such a model is valid, but every execution of it fails",
    ),
    claimed(
        "MAXIMUM", "Greater, Where", (*claims.FLOATS, claims.INTEGER, *claims.BOTH_BYTES), _extreme("Greater"), _SAME
    ),
    claimed("MINIMUM", "Less, Where", (*claims.FLOATS, claims.INTEGER, *claims.BOTH_BYTES), _extreme("Less"), _SAME),
    claimed("POW", "Pow", claims.FLOATS, _binary("Pow")),
    claimed("PRELU", "Less, Mul, Where; PRelu of codes", claims.FLOATS, _prelu, _SLOPES, qdq=claims.BOTH_BYTES),
    claimed("SELECT", "Where", (*claims.FLOATS, claims.INTEGER, *claims.BOTH_BYTES), _select, _SAME),
    *(
        claimed(name, f"{target}; Cast of codes and booleans", _COMPARED, emit, _SAME)
        for name, target, emit in _COMPARISONS
    ),
    claimed("LOGICAL_AND", "And", (claims.BOOLEAN,), _binary("And")),
    claimed("LOGICAL_OR", "Or", (claims.BOOLEAN,), _binary("Or")),
    claimed("LOGICAL_NOT", "Not", (claims.BOOLEAN,), unary("Not")),
    *(claimed(name, operator, claims.FLOATS, unary(operator), qdq=codes) for name, operator, codes in _UNARY),
    claimed("ABS", "Abs", (*claims.FLOATS, claims.INTEGER), unary("Abs")),
    claimed("NEG", "Neg", (*claims.FLOATS, claims.INTEGER), unary("Neg")),
    claimed(
        "RSQRT",
        "Sqrt, Reciprocal",
        claims.FLOATS,
        _rsqrt,
        otherwise="that of a number below 0 is NaN, and ONNX leaves open which code that becomes",
    ),
    claimed("RELU1", "Clip", claims.FLOATS, _clip(-1, 1), qdq=claims.BOTH_BYTES),
    claimed("RELU6", "Clip", claims.FLOATS, _clip(0, 6), qdq=claims.BOTH_BYTES),
    claimed("ELU", "Elu", claims.FLOATS, _elu, _NOT_NEGATIVE),
)
