"""Tiles: functions that compute some rows of sums of products in registers, turn them into values, and store them.

A tile covers some rows of the output and one or two vectors of its channels. LLVM does not find such tiles in plain
loops, so they are written in LLVM's instructions. The vectors have a fixed length, which LLVM maps to the processor's
own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from nnvet.reference_driver.fused import table as t

TALL, LOW, FLAT = 8, 4, 1
"""Rows of a tile."""

_I64, _FLOAT, _DOUBLE = ir.IntType(64), ir.FloatType(), ir.DoubleType()


def _splat(builder: Any, scalar: Any, lanes: int) -> Any:
    kind = ir.VectorType(scalar.type, lanes)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
    every = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
    return builder.shuffle_vector(one, one, every)


def _call(builder: Any, name: str, *arguments: Any) -> Any:
    """Call one of LLVM's intrinsic functions for vectors."""
    kind = arguments[0].type
    letter = "f32" if kind.element is _FLOAT else "f64"
    signature = ir.FunctionType(kind, [kind] * len(arguments))
    function = cgutils.get_or_insert_function(builder.module, signature, f"llvm.{name}.v{kind.count}{letter}")
    return builder.call(function, arguments)


def _between(builder: Any, value: Any, low: Any, high: Any) -> Any:
    """Clamp values; NaN stays NaN."""
    value = builder.select(builder.fcmp_ordered("<", value, low), low, value)
    return builder.select(builder.fcmp_ordered(">", value, high), high, value)


@dataclass
class _Tile:
    """Writes the instructions of one tile with ``builder``; the other fields are the arguments of the function."""

    builder: Any
    arena: Any
    row: Any
    constants: Any
    doubles: Any
    words: Any
    source: Any
    out: Any
    channel: Any
    used: Any

    def form(self, rows: int, lanes: int, *, is_windowed: bool) -> None:
        """Write the code that sums up, finishes and stores the tile."""
        zeros = ir.Constant(ir.VectorType(_FLOAT, lanes), [0.0] * lanes)
        sums = [cgutils.alloca_once_value(self.builder, zeros) for _ in range(rows)]
        self._add_products(sums, lanes, is_windowed=is_windowed)
        self._finish(sums, lanes)
        line = self._column(t.UNITS)
        places = [self._at(self.arena, self.out, self.builder.mul(line, _I64(index))) for index in range(rows)]
        _store(self.builder, [self.builder.load(total) for total in sums], places, self.used)

    def _at(self, data: Any, *terms: Any) -> Any:
        return self.builder.gep(data, [reduce(self.builder.add, terms)])

    def _column(self, index: int) -> Any:
        return self.builder.load(self._at(self.row, _I64(index)))

    def _vector(self, lanes: int, data: Any, *terms: Any, scalar: Any = _FLOAT) -> Any:
        """Load ``lanes`` elements."""
        place = self.builder.bitcast(self._at(data, *terms), ir.VectorType(scalar, lanes).as_pointer())
        return self.builder.load(place, align=4 if scalar is _FLOAT else 8)

    def _add_products(self, sums: list[Any], lanes: int, *, is_windowed: bool) -> None:
        builder = self.builder
        taps, step, offsets = (self._column(column) for column in (t.TAPS, t.STEP, t.OFFSETS))
        weights = builder.add(self._column(t.WEIGHTS), builder.mul(self.channel, taps))
        starts = [builder.add(self.source, builder.mul(step, _I64(index))) for index in range(len(sums))]
        with cgutils.for_range(builder, taps, intp=_I64) as loop:
            factor = self._vector(lanes, self.constants, weights, builder.mul(loop.index, _I64(lanes)))
            tap = builder.load(self._at(self.words, offsets, loop.index)) if is_windowed else loop.index
            for start, total in zip(starts, sums, strict=True):
                if is_windowed:
                    cells = self._vector(lanes, self.arena, start, tap)
                else:
                    cells = _splat(builder, builder.load(self._at(self.arena, start, tap)), lanes)
                builder.store(_call(builder, "fmuladd", cells, factor, builder.load(total)), total)

    def _finish(self, sums: list[Any], lanes: int) -> None:
        builder = self.builder
        bias = self._vector(lanes, self.constants, self._column(t.BIAS), self.channel)
        limits = self._column(t.LIMITS)
        bounds = [builder.load(self._at(self.doubles, limits, _I64(index))) for index in range(2)]

        def each(change: Callable[[Any], Any]) -> None:
            for total in sums:
                builder.store(change(builder.fadd(builder.load(total), bias)), total)

        is_clamp, is_once = (builder.icmp_signed("==", self._column(t.MODE), _I64(mode)) for mode in (t.CLAMP, t.ONCE))
        with builder.if_else(is_clamp) as (then, otherwise):
            with then:
                narrow = [_splat(builder, builder.fptrunc(bound, _FLOAT), lanes) for bound in bounds]
                each(lambda value: _between(builder, value, *narrow))
            with otherwise:
                wide = [_splat(builder, bound, lanes) for bound in bounds]
                scales = self._scales(lanes, limits)
                with builder.if_else(is_once) as (once, twice):
                    with once:
                        each(lambda value: _codes(builder, value, scales, wide, is_twice=False))
                    with twice:
                        each(lambda value: _codes(builder, value, scales, wide, is_twice=True))

    def _scales(self, lanes: int, limits: Any) -> list[Any]:
        """Load the first and second scale and the shift of the channels, which follow the limits."""
        builder = self.builder
        # Each kind has its last channels filled up to whole vectors.
        apart = builder.and_(builder.add(self._column(t.UNITS), _I64(t.NARROW - 1)), _I64(-t.NARROW))
        first = builder.add(builder.add(limits, _I64(2)), self.channel)
        return [
            self._vector(lanes, self.doubles, first, builder.mul(apart, _I64(index)), scalar=_DOUBLE)
            for index in range(3)
        ]


def _codes(builder: Any, value: Any, scales: list[Any], bounds: list[Any], *, is_twice: bool) -> Any:
    """Turn sums into codes as :class:`nnvet.reference_driver.kernels.accumulators.ScaledFinish` does."""
    first, second, shift = scales
    wide = builder.fmul(builder.fpext(value, first.type), first)
    if is_twice:
        wide = builder.fadd(wide, ir.Constant(wide.type, [0.5] * wide.type.count))
        wide = builder.fmul(_call(builder, "floor", wide), second)
    wide = _between(builder, builder.fadd(wide, shift), *bounds)
    return builder.fptrunc(_call(builder, "floor", wide), value.type)


def _store(builder: Any, values: list[Any], places: list[Any], used: Any) -> None:
    """Store ``used`` lanes of each vector."""
    with builder.if_else(builder.icmp_signed("==", used, _I64(values[0].type.count))) as (whole, part):
        with whole:
            for value, place in zip(values, places, strict=True):
                builder.store(value, builder.bitcast(place, value.type.as_pointer()), align=4)
        with part:
            for value, place in zip(values, places, strict=True):
                with cgutils.for_range(builder, used, intp=_I64) as loop:
                    builder.store(builder.extract_element(value, loop.index), builder.gep(place, [loop.index]))


def _tile(rows: int, lanes: int, *, is_windowed: bool) -> Any:
    """Return a function that computes, finishes and stores ``rows`` by ``lanes`` sums.

    Its arguments are the arrays and the step, the starts of source and output, the first channel and the number of
    channels to store. ``is_windowed`` means that taps have offsets, and that each channel has its own taps.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        arrays = [
            context.make_array(kind)(context, builder, array).data
            for kind, array in zip(signature.args[:5], arguments, strict=False)
        ]
        _Tile(builder, *arrays, *arguments[5:]).form(rows, lanes, is_windowed=is_windowed)
        return context.get_dummy_value()

    def typed(  # numba counts the parameters
        _: Any,
        arena: Any,
        row: Any,
        constants: Any,
        doubles: Any,
        words: Any,
        source: Any,
        out: Any,
        first: Any,
        used: Any,
    ) -> Any:
        return types.void(arena, row, constants, doubles, words, source, out, first, used), generate

    return intrinsic(typed)


tall_wide, low_wide, flat_wide = (_tile(rows, t.WIDE, is_windowed=False) for rows in (TALL, LOW, FLAT))
tall_narrow, low_narrow, flat_narrow = (_tile(rows, t.NARROW, is_windowed=False) for rows in (TALL, LOW, FLAT))
window_wide, cell_wide = (_tile(rows, t.WIDE, is_windowed=True) for rows in (LOW, FLAT))
window_narrow, cell_narrow = (_tile(rows, t.NARROW, is_windowed=True) for rows in (LOW, FLAT))
