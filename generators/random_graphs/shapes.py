"""Shapes of drafted operations: conditions on dimensions, from which valid dimensions are drawn within size limits.

A family of operations (``families/``) states a :class:`Shape` for each input, mostly made by :func:`free`,
:func:`fixed` or :func:`image`, and ``draft.py`` draws dimensions with :meth:`Shape.choose`. The dimensions of outputs
are inferred by the operations' declarations (:func:`infer_dimensions`). Parts of that inference that depend on operand
types alone are cached, since campaigns draft many operations of the same types.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache, partial
from typing import NamedTuple

from nnvet.generators.random_graphs.chooser import Chooser, shuffled
from nnvet.hal.extensions import every_declaration
from nnvet.hal.operations.binding import assign, bind
from nnvet.hal.operations.declaration import Argument, Call, OperationDeclaration, OutputSpec, Signature, TypeRow
from nnvet.hal.operations.shapes import like_input, shaped_by_both, shaped_like_input

Dimensions = tuple[int, ...]
MOST_ELEMENTS = 10_000
"""Largest product of the dimensions of any operand."""
_SMALL = 12
"""At least half of all drawn sizes exceed the least possible one by no more than this."""


class SizeLimits(NamedTuple):
    """Limits of sizes: the largest dimension (``most``), and the largest number of ``elements`` of an operand.

    ``most`` does not bind a dimension whose :class:`Axis` has a limit of its own. A dimension is smaller than ``least``
    only if nothing larger is possible.
    """

    most: int
    elements: int = MOST_ELEMENTS
    least: int = 1


WIDE = SizeLimits(1000)
"""Limits for single operations and small graphs."""
NARROW = SizeLimits(10)
"""Limits for large graphs, so that many operations are still computed fast."""


class Axis(NamedTuple):
    """Conditions on a dimension: a multiple of ``step`` from ``least`` to ``most``.

    If ``most`` is None, :attr:`SizeLimits.most` takes its place. An output may be larger along this axis than the
    input, for instance if the operation pads or upsamples: its dimension is at most ``factor * dimension + margin``.
    The limit of elements holds for that larger dimension.
    """

    least: int = 1
    most: int | None = None
    step: int = 1
    factor: int = 1
    margin: int = 0

    @property
    def lowest(self) -> int:
        """The smallest dimension."""
        return -(-self.least // self.step) * self.step


ANY = Axis()


class Shape(NamedTuple):
    """Conditions on all dimensions.

    The number of elements of the largest output must not exceed the limit of elements. It is the product of the bounds
    that :class:`Axis` states, multiplied by ``times``, for instance if the operation makes several channels of each.
    """

    axes: tuple[Axis, ...]
    times: int = 1

    def takes(self, dimensions: Dimensions, limits: SizeLimits) -> bool:
        """Return True if an operand with these dimensions fulfils the conditions.

        ``limits.most`` is not checked, since it applies to drawn dimensions only.
        """
        # ``used`` becomes the number of elements of the largest output.
        axes, used = self
        if len(dimensions) != len(axes):
            return False
        for (least, most, step, factor, margin), size in zip(axes, dimensions, strict=True):
            if size < least or size % step or (most is not None and size > most):
                return False
            used *= factor * size + margin
        return used <= limits.elements

    def choose(self, chooser: Chooser, limits: SizeLimits) -> Dimensions:
        """Return dimensions that fulfil the conditions.

        :raises ValueError: not even the smallest dimensions fulfil them.
        """
        # All axes have the lowest dimension at first. Then they grow one after the other, in random order, as far as
        # the dimensions of the other axes allow. ``used`` is the number of elements of the largest output.
        axes, used = self
        dimensions, usual, elements, preferred = [], *limits
        for least, _, step, factor, margin in axes:
            lowest = least if step == 1 else -(-least // step) * step
            dimensions.append(lowest)
            used *= factor * lowest + margin
        if used > elements:
            raise ValueError(f"{elements} elements do not suffice for {self}")
        for place in shuffled(chooser, range(len(dimensions))):
            least, most, step, factor, margin = axes[place]
            others = used // (factor * dimensions[place] + margin)
            high = (elements // others - margin) // factor
            if most is None:
                most = usual
            high = min(high, most)
            low = least
            if step > 1:
                low, high = -(-least // step), high // step
            if preferred > least:
                low = min(-(-preferred // step), max(low, high))
            # Half of the sizes are small, so that dimensions chosen later can grow, too.
            size = step * (sized(chooser, low, high) if high > low else low)
            if size > dimensions[place]:
                dimensions[place] = size
                used = others * (factor * size + margin)
        return tuple(dimensions)


def sized(chooser: Chooser, low: int, high: int) -> int:
    """Return a size from ``low`` to ``high``, mostly a small one."""
    return chooser.integer(low, high if chooser.boolean() else min(high, low + _SMALL))


@lru_cache(1 << 10)
def free(rank: int, margin: int = 0, times: int = 1) -> Shape:
    """Return the shape of any dimensions.

    The output may be larger by ``margin`` along each, and have ``times`` as many elements.
    """
    return Shape((Axis(margin=margin),) * rank, times)


def fixed(dimensions: Iterable[int]) -> Shape:
    """Return the shape with exactly these dimensions."""
    return Shape(tuple(Axis(size, size) for size in dimensions))


def image(
    height: Axis = ANY, width: Axis = ANY, channels: Axis = ANY, *, nchw: bool, batches: Axis = ANY, times: int = 1
) -> Shape:
    """Return the shape of an image in the layout NCHW or NHWC."""
    axes = (batches, channels, height, width) if nchw else (batches, height, width, channels)
    return Shape(axes, times)


_Types = tuple[int, ...]
"""Types of operands in order, as a key for caches."""


@cache
def _bind_types(
    operation: int, inputs: _Types, outputs: _Types
) -> tuple[OperationDeclaration, Signature, TypeRow, tuple[str, ...], tuple[int, ...]]:
    """Return the parts of a declaration that apply to operands of these types, and the positions of variadic inputs.

    These parts are the declaration itself, the matching signature and row of types, and the names of the inputs.

    :raises HalError: the declaration has no such operands.
    """
    arguments = [Argument(kind) for kind in inputs]
    call = bind(every_declaration()[operation], arguments, [Argument(kind) for kind in outputs])
    formals = [formal for formal, _ in assign(call.signature, arguments)]
    variadic = tuple(place for place, formal in enumerate(formals) if formal.variadic)
    return call.declaration, call.signature, call.row, tuple(formal.name for formal in formals), variadic


_SHAPED_BY_INPUTS = (like_input, shaped_like_input, shaped_by_both)
"""Functions of declarations that give the output the shape of an input, or the broadcast shape of two."""


@cache
def shaping_inputs(operation: int) -> tuple[int, ...]:
    """Return the positions of the inputs whose broadcast shape is that of the only output.

    Empty if the declaration does not say that the shape depends on these inputs alone, so that it must be inferred.
    """
    declaration = every_declaration()[operation]
    infer = declaration.infer
    if not isinstance(infer, partial) or infer.func not in _SHAPED_BY_INPUTS:
        return ()
    places = {
        tuple([formal.name for formal in signature.inputs].index(name) for name in infer.args)
        for signature in declaration.signatures
    }
    return places.pop() if len(places) == 1 else ()


def infer_dimensions(operation: int, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> tuple[OutputSpec, ...]:
    """Return the declaration's specifications of the outputs of an operation with these operands.

    :raises HalError: the operands do not fit.
    """
    declaration, signature, row, names, places = _bind_types(
        operation, tuple([operand.type for operand in inputs]), tuple([output.type for output in outputs])
    )
    fixed = dict(zip(names, inputs, strict=True))
    variadic: list[Argument] = []
    if places:
        variadic = [inputs[place] for place in places]
        fixed.pop(names[places[0]])
    return declaration.infer(Call(declaration, signature, row, fixed, variadic, list(outputs)))
