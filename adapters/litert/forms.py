"""Common parts of claims: groups of types, conditions, layouts, and operators that are put together alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.runtimes.claims import Claim, Condition
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.shared_rules import is_nchw

LiteRtClaim = Claim[Emitter]

TO_NCHW: Final = (0, 3, 1, 2)
TO_NHWC: Final = (0, 2, 3, 1)


def rank_up_to(most: int, name: str = "input") -> Condition:
    """Condition that the rank of an input is known and not too large for LiteRT."""
    return Condition(f"the rank of '{name}' is known and at most {most}", lambda call: 1 <= call[name].rank <= most)


def unary(name: str) -> Callable[[Emitter, Call], None]:
    """One tensor, one result."""

    def emit(emitter: Emitter, call: Call) -> None:
        emitter.add(name, [emitter.source(call["input"])], emitter.target(call.output))

    return emit


def reshape(emitter: Emitter, source: int, target: int, shape: Sequence[int]) -> None:
    """Copy a tensor into one of another shape."""
    emitter.add("RESHAPE", [source, emitter.constant(list(shape))], target)


def permuted(emitter: Emitter, source: int, like: Argument, shape: Sequence[int], order: Sequence[int]) -> int:
    """A tensor of ``shape`` with its dimensions in another order."""
    target = emitter.between(like, [shape[axis] for axis in order])
    emitter.add("TRANSPOSE", [source, emitter.constant(list(order))], target)
    return target


def image_input(emitter: Emitter, call: Call, name: str = "input") -> int:
    """An input of images, in the layout that LiteRT knows: NHWC."""
    source = emitter.source(call[name])
    return permuted(emitter, source, call[name], call[name].dimensions, TO_NHWC) if is_nchw(call) else source


def image_output(emitter: Emitter, call: Call, emit: Callable[[int], None]) -> None:
    """Have ``emit`` write images in NHWC, and bring them into the call's layout."""
    target = emitter.target(call.output)
    if not is_nchw(call):
        emit(target)
        return
    n, c, h, w = call.output.dimensions
    images = emitter.between(call.output, (n, h, w, c))
    emit(images)
    emitter.add("TRANSPOSE", [images, emitter.constant(list(TO_NCHW))], target)


def along_last(emitter: Emitter, call: Call, axis: int, emit: Callable[[int, int], None]) -> None:
    """Have ``emit`` work along the last dimension from one tensor to another, and so along ``axis`` of the call."""
    argument, target = call["input"], emitter.target(call.output)
    source, rank = emitter.source(argument), argument.rank
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    if order == sorted(order):
        emit(source, target)
        return
    turned = permuted(emitter, source, argument, argument.dimensions, order)
    result = emitter.between(call.output, [argument.dimensions[place] for place in order])
    emit(turned, result)
    emitter.add("TRANSPOSE", [result, emitter.constant(order)], target)
