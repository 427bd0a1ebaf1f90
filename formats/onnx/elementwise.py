"""Converters of ONNX operators on single elements: arithmetic, activations, comparisons, casts.

``operators.py`` lists them by operator. Each converter emits HAL operations for one node and returns nothing; the
docstrings say what the node computes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from nnvet.formats.onnx.context import MOST_RANK, NodeContext
from nnvet.hal.types import OperandType
from nnvet.hal.types import OperationType as O

_INTEGER: Final = OperandType.TENSOR_INT32
_BOOLEAN: Final = OperandType.TENSOR_BOOL8
_BITS: Final = {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "int8": 8, "uint8": 8, "int16": 16, "uint16": 16}
"""Bits of the integer types that HAL operations compute in 32 bits."""
_ERF_END: Final = 3.9
"""From here on the error function is 1 in float32."""
# Fitted to math.erf on Chebyshev points by reweighted least squares; the fit itself is off by 2e-8 of the value.
_ERF_ABOVE: Final = (1.1283791476, 0.1896674125, 0.0526681633, 0.00373837186, 0.000285062879, 2.06647022e-06)
_ERF_BELOW: Final = (1.0, 0.5014211494, 0.1138192036, 0.0149143289, 0.00115738259, 3.82700245e-05)
"""Coefficients of the polynomials in x² above and below the fraction line of ``error_function``."""


def unary(kind: O, context: NodeContext) -> None:
    """Apply an operation of one input."""
    context.emit(kind, [context.input(0)])


def binary(kind: O, context: NodeContext) -> None:
    """Apply an operation of two inputs, which broadcast."""
    context.emit(kind, [context.input(0), context.input(1)])


def add(context: NodeContext) -> None:
    """Add two inputs, of which one may be an infinite mask.

    The contract's sums are finite, so SELECT puts the mask in place of the sum where the mask is infinite.
    """
    first, second = context.input(0), context.input(1)
    masks = [
        operand
        for operand, name in zip((first, second), context.input_names, strict=True)
        if name in context.conversion.infinite
    ]
    if not masks:
        context.emit(O.ADD, [first, second])
        return
    total = context.new(O.ADD, [first, second])
    shape = context.graph.arguments[total].dimensions
    for mask in masks:
        size = context.new(O.ABS, [mask])
        is_infinite = context.enlarged(context.truth(O.EQUAL, size, context.number(math.inf, mask)), shape)
        total = context.new(O.SELECT, [is_infinite, context.enlarged(mask, shape), total], total)
    context.alias(total)


def division(context: NodeContext) -> None:
    """Divide; ONNX rounds quotients of integers toward zero, the contract rounds them down."""
    first, second = context.input(0), context.input(1)
    if context.type_of(first) != _INTEGER or context.dtype(0).startswith("uint"):
        context.emit(O.DIV, [first, second])
        return
    zero = context.number(0, first)
    sides = context.truth(O.LESS, first, zero), context.truth(O.LESS, second, zero)
    size = context.new(O.DIV, [context.new(O.ABS, [first]), context.new(O.ABS, [second])])
    unlike = context.truth(O.NOT_EQUAL, *sides)
    context.emit(O.SELECT, [_broadcast(context, unlike, size), context.new(O.NEG, [size]), size])


def _broadcast(context: NodeContext, source: int, like: int) -> int:
    """Return an operand in the shape of another, since the contract's SELECT does not broadcast."""
    wanted = context.graph.arguments[like].dimensions
    return context.reshaped(source, wanted) if _same_size(context, source, like) else context.enlarged(source, wanted)


def _same_size(context: NodeContext, first: int, second: int) -> bool:
    sizes = [math.prod(context.graph.arguments[index].dimensions) for index in (first, second)]
    return sizes[0] == sizes[1]


def expand(context: NodeContext) -> None:
    """Broadcast to a shape. Neighbouring dimensions that all grow, or all stay, are merged into one."""
    source, given = context.input(0), context.shape(0)
    wanted = np.broadcast_shapes(given, tuple(context.values(1) or []))
    given = (*[1] * (len(wanted) - len(given)), *given)
    merged: list[list[int]] = []
    is_growing = None
    for size, target in zip(given, wanted, strict=True):
        if is_growing == (size != target):
            merged[-1] = [merged[-1][0] * size, merged[-1][1] * target]
        else:
            merged.append([size, target])
        is_growing = size != target
    small, large = zip(*merged, strict=True)
    found = context.enlarged(context.reshaped(source, small), large)
    name = context.output_names[0]
    if len(wanted) > MOST_RANK:
        context.conversion.operands[name], context.conversion.wide[name] = found, wanted
    elif large == wanted:
        context.alias(found)
    else:
        context.emit(O.RESHAPE, [found, context.ints(wanted)])


def modulo(context: NodeContext) -> None:
    """Return the remainder of integers, which has the sign of the divisor."""
    first, second = context.input(0), context.input(1)
    if context.type_of(first) != _INTEGER or (context.attribute("fmod", 0) and "u" not in context.dtype(0)):
        context.fail("only remainders of integers, of the sign of the divisor, have a form in the contract")
    whole = context.new(O.MUL, [context.new(O.DIV, [first, second]), second])
    context.emit(O.SUB, [first, whole])


def power(context: NodeContext) -> None:
    """Raise to a power; integer exponents are cast to the type of the base."""
    base, exponent = context.input(0), context.input(1)
    if context.type_of(base) == _INTEGER:
        context.fail("powers of integers are exact, the contract's are those of real numbers")
    if context.type_of(exponent) != context.type_of(base):
        exponent = context.new(O.CAST, [exponent], base)
    context.emit(O.POW, [base, exponent])


def chained(kind: O, context: NodeContext) -> None:
    """Apply a binary operation to any number of inputs, from the left."""
    total, *others = context.inputs()
    for other in others[:-1]:
        total = context.new(kind, [total, other])
    if others:
        context.emit(kind, [total, others[-1]])
    else:
        context.alias(total)


def mean_of_inputs(context: NodeContext) -> None:
    """Return the mean of any number of inputs."""
    total, *others = context.inputs()
    for other in others:
        total = context.new(O.ADD, [total, other])
    context.emit(O.MUL, [total, context.number(1 / (1 + len(others)), total)])


def identity(context: NodeContext) -> None:
    """Pass the input on unchanged."""
    context.alias(context.input(0))


def dropout(context: NodeContext) -> None:
    """Pass the input on, since dropout does nothing outside of training; the mask output is true everywhere."""
    training, ratio = (context.values(place) if context.has(place) else None for place in (2, 1))
    if training and training[0] and (ratio is None or ratio[0] != 0):
        context.fail("training mode drops at random")
    identity(context)
    if len(context.output_names) > 1 and context.output_names[1]:
        nothing = context.graph.constant(_BOOLEAN, np.zeros(context.shape(0)))
        context.emit(O.LOGICAL_NOT, [nothing], [context.output(1)])


def elu(context: NodeContext) -> None:
    """Return the exponential linear unit."""
    source = context.input(0)
    context.emit(O.ELU, [source, context.scalar(context.attribute("alpha", 1.0), source)])


def leaky_relu(context: NodeContext) -> None:
    """Scale negative numbers."""
    source = context.input(0)
    context.emit(O.PRELU, [source, context.number(context.attribute("alpha", 0.01), source)])


def clip(context: NodeContext) -> None:
    """Clamp to a lower and an upper bound."""
    source = context.input(0)
    ends = [(O.MAXIMUM, "min", 1), (O.MINIMUM, "max", 2)]
    given = [(kind, place, name) for kind, name, place in ends if name in context.attributes or context.has(place)]
    if not given:
        context.alias(source)
    for number, (kind, place, name) in enumerate(given):
        is_old = name in context.attributes
        bound = context.number(context.attribute(name), source) if is_old else context.input(place)
        if number == len(given) - 1:
            context.emit(kind, [source, bound])
        else:
            source = context.new(kind, [source, bound])


def relu(context: NodeContext) -> None:
    """Replace negative numbers by 0."""
    source = context.input(0)
    if context.type_of(source) == _INTEGER:
        context.emit(O.MAXIMUM, [source, context.number(0, source)])
    else:
        context.emit(O.RELU, [source])


def selu(context: NodeContext) -> None:
    """Return the exponential linear unit, scaled."""
    source = context.input(0)
    unit = context.new(O.ELU, [source, context.scalar(context.attribute("alpha", 1.6732632), source)])
    context.emit(O.MUL, [unit, context.number(context.attribute("gamma", 1.0507010), source)])


def thresholded_relu(context: NodeContext) -> None:
    """Keep numbers above ``alpha``; replace others by 0."""
    source = context.input(0)
    above = context.truth(O.GREATER, source, context.number(context.attribute("alpha", 1.0), source))
    context.emit(O.SELECT, [above, source, context.number(np.zeros(context.shape(0)), source)])


def hard_sigmoid(context: NodeContext) -> None:
    """Return a linear function, clamped to 0 and 1."""
    source = context.input(0)
    alpha, beta = context.attribute("alpha", 0.2), context.attribute("beta", 0.5)
    line = context.new(
        O.ADD, [context.new(O.MUL, [source, context.number(alpha, source)]), context.number(beta, source)]
    )
    context.emit(O.MINIMUM, [context.new(O.MAXIMUM, [line, context.number(0.0, source)]), context.number(1.0, source)])


def reciprocal(context: NodeContext) -> None:
    """Return 1 / x."""
    source = context.input(0)
    context.emit(O.DIV, [context.number(1.0, source), source])


def softsign(context: NodeContext) -> None:
    """Return x / (1 + |x|)."""
    source = context.input(0)
    context.emit(O.DIV, [source, context.new(O.ADD, [context.new(O.ABS, [source]), context.number(1.0, source)])])


def softplus(context: NodeContext) -> None:
    """Return ln(1 + e^x), as the larger of x and 0 plus ln(1 + e^-|x|), which overflows nowhere."""
    source = context.input(0)
    far = context.new(O.NEG, [context.new(O.ABS, [source])])
    near = context.new(O.LOG, [context.new(O.ADD, [context.new(O.EXP, [far]), context.number(1.0, source)])])
    context.emit(O.ADD, [context.new(O.RELU, [source]), near])


def _polynomial(context: NodeContext, factors: Sequence[float], source: int) -> int:
    """Return a polynomial by Horner's rule; the factor of the highest power is the last."""
    *others, highest = factors
    total = context.new(O.MUL, [source, context.number(highest, source)])
    for factor in others[:0:-1]:
        total = context.new(O.MUL, [context.new(O.ADD, [total, context.number(factor, source)]), source])
    return context.new(O.ADD, [total, context.number(others[0], source)])


def error_function(context: NodeContext, source: int) -> int:
    """Return the error function as x P(x²) / Q(x²), which is off by 4e-7 at most; beyond 3.9 it is 1 in float32."""
    inner = context.new(O.MAXIMUM, [source, context.number(-_ERF_END, source)])
    inner = context.new(O.MINIMUM, [inner, context.number(_ERF_END, source)])
    square = context.new(O.MUL, [inner, inner])
    above, below = (_polynomial(context, factors, square) for factors in (_ERF_ABOVE, _ERF_BELOW))
    return context.new(O.DIV, [context.new(O.MUL, [inner, above]), below])


def erf(context: NodeContext) -> None:
    """Compute the error function."""
    context.alias(error_function(context, context.input(0)))


def gelu(context: NodeContext) -> None:
    """Compute x / 2 (1 + erf(x / √2)), or the form with the hyperbolic tangent."""
    source = context.input(0)
    if context.attribute("approximate", b"none") == b"tanh":
        cube = context.new(O.MUL, [context.new(O.MUL, [source, source]), source])
        inner = context.new(O.ADD, [source, context.new(O.MUL, [cube, context.number(0.044715, source)])])
        bent = context.new(O.TANH, [context.new(O.MUL, [inner, context.number(math.sqrt(2 / math.pi), source)])])
    else:
        bent = error_function(context, context.new(O.MUL, [source, context.number(math.sqrt(0.5), source)]))
    gate = context.new(O.ADD, [bent, context.number(1.0, source)])
    context.emit(O.MUL, [context.new(O.MUL, [source, context.number(0.5, source)]), gate])


def sign(context: NodeContext) -> None:
    """Return -1, 0 or 1."""
    source = context.input(0)
    zero, one = context.number(0, source), context.number(np.ones(context.shape(0)), source)
    none = context.number(np.zeros(context.shape(0)), source)
    above = context.new(O.SELECT, [context.truth(O.GREATER, source, zero), one, none], source)
    below = context.new(O.SELECT, [context.truth(O.LESS, source, zero), one, none], source)
    context.emit(O.SUB, [above, below])


def ceiling(context: NodeContext) -> None:
    """Round up."""
    context.emit(O.NEG, [context.new(O.FLOOR, [context.new(O.NEG, [context.input(0)])])])


def rounded(context: NodeContext, source: int) -> int:
    """Return the nearest whole numbers, the even one of two equally near; every step is exact."""
    below = context.new(O.FLOOR, [source])
    half = context.number(0.5, source)
    rest = context.new(O.SUB, [source, below])
    halved = context.new(O.MUL, [below, half])
    is_odd = context.truth(O.NOT_EQUAL, halved, context.new(O.FLOOR, [halved]))
    is_tie = context.truth(O.LOGICAL_AND, context.truth(O.EQUAL, rest, half), is_odd)
    goes_up = context.truth(O.LOGICAL_OR, context.truth(O.GREATER, rest, half), is_tie)
    above = context.new(O.ADD, [below, context.number(1.0, source)])
    return context.new(O.SELECT, [goes_up, above, below], source)


def round_half_even(context: NodeContext) -> None:
    """Round to the nearest whole number."""
    context.alias(rounded(context, context.input(0)))


def is_nan(context: NodeContext) -> None:
    """Return true for NaN, the only value that is not equal to itself."""
    context.emit(O.NOT_EQUAL, [context.input(0), context.input(0)])


def is_infinite(context: NodeContext) -> None:
    """Return true for infinities, or for one of them, by comparison with them."""
    source, ends = context.input(0), []
    for name, end in (("detect_negative", -math.inf), ("detect_positive", math.inf)):
        if context.attribute(name, 1):
            ends.append(context.truth(O.EQUAL, source, context.number(end, source)))
    if len(ends) == 1:
        context.alias(ends[0])
    elif ends:
        context.emit(O.LOGICAL_OR, ends)
    else:
        context.fail("neither infinity is looked for")


def where(context: NodeContext) -> None:
    """Choose each element from one of two inputs by a condition."""
    wanted = np.broadcast_shapes(*(context.shape(position) for position in range(3)))
    sources = [context.enlarged(context.input(position), wanted) for position in range(3)]
    if context.type_of(sources[1]) != _BOOLEAN:
        context.emit(O.SELECT, sources)
        return
    condition, first, second = sources
    taken = context.truth(O.LOGICAL_AND, condition, first)
    other = context.truth(O.LOGICAL_AND, context.truth(O.LOGICAL_NOT, condition), second)
    context.emit(O.LOGICAL_OR, [taken, other])


def cast(context: NodeContext) -> None:
    """Change the element type; a cast to narrower integers keeps the low bits."""
    source, (before, after) = context.input(0), (context.dtype(0), context.conversion.types[context.output_names[0]])
    kind, target = context.type_of(source), context.hal_type(after)
    if kind == _BOOLEAN != target:
        ends = [context.graph.constant(target, np.full(context.shape(0), value)) for value in (1, 0)]
        context.emit(O.SELECT, [source, *ends])
    elif target == _BOOLEAN != kind:
        context.emit(O.NOT_EQUAL, [source, context.number(0, source)])
    elif kind not in (_INTEGER, _BOOLEAN) and _BITS.get(after, 8) < 8:  # noqa: PLR2004 - a byte
        context.fail(f"rounding to {after} has no form in the contract")
    elif kind == _INTEGER == target and _cuts(before, after):
        context.alias(_low_bits(context, source, after))
    else:
        context.emit(O.CAST, [source])


def _cuts(before: str, after: str) -> bool:
    """Return True if a cast between integers may lose bits."""
    if after not in _BITS or before == after:
        return False
    is_wider = _BITS.get(before, 32) < _BITS[after] and before.startswith("u")
    return not is_wider


def _low_bits(context: NodeContext, source: int, kind: str) -> int:
    """Return integers modulo a power of two, from the lowest of a type on."""
    lowest = 0 if kind.startswith("u") else -(2 ** (_BITS[kind] - 1))
    shifted = context.new(O.SUB, [source, context.number(lowest, source)])
    size = context.number(2 ** _BITS[kind], source)
    whole = context.new(O.MUL, [context.new(O.DIV, [shifted, size]), size])
    return context.new(O.ADD, [context.new(O.SUB, [shifted, whole]), context.number(lowest, source)])
