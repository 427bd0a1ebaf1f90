"""Planted faults at the borders between steps, each of which the suite has to find; ``fault=NAME`` plants one.

A fault overrides the hooks of :class:`BorderFault`, which :mod:`nnvet.adapters.split.running` and its callers call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import numpy as np

from nnvet.hal.errors import failure
from nnvet.hal.memory import mapped
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import BufferToken

if TYPE_CHECKING:
    from nnvet.adapters.split.running import SplitRun

_LEAST_RANK: Final = 3
"""Tensors of lower rank have no channels that could be in the wrong place."""


class BorderFault:
    """Hooks at the borders between steps; this base class plants no fault."""

    def stride(self, size: int) -> int:
        """Return the space in bytes for an intermediate operand of ``size`` bytes."""
        return size

    def in_token(self, operations: Sequence[int]) -> Sequence[int]:
        """Return the operations of a step as they enter its cache token."""
        return operations

    def before_run(self, run: SplitRun) -> None:
        """Act before an execution begins."""

    def after_failure(self, run: SplitRun, number: int) -> None:
        """Act after a device has failed to execute a step, before another device tries it."""

    def after_step(self, run: SplitRun, number: int, again: Callable[[], None] | None) -> None:
        """Act after a step has run. ``again`` repeats it; it is None unless another device had failed before."""


class WrongLayout(BorderFault):
    """Transpose a tensor that crosses a border: its channels, which belong last, come second."""

    def after_step(self, run: SplitRun, number: int, again: Callable[[], None] | None) -> None:
        """Transpose the outputs that later steps read."""
        del again
        for index in run.cut.steps[number].outputs:
            shape = run.dimensions[index]
            if not run.cut.is_read_after(index, number) or len(shape) < _LEAST_RANK:
                continue
            dtype = type_info(run.cut.model.main.operands[index].type).dtype
            with _memory(run, index) as region:
                values = np.frombuffer(bytes(region), dtype).reshape(shape)
                region[:] = np.moveaxis(values, -1, 1).tobytes()


class LostState(BorderFault):
    """Lose a tensor that crosses a border after one step has read it: the next step reads zeros."""

    def after_step(self, run: SplitRun, number: int, again: Callable[[], None] | None) -> None:
        """Clear the inputs of this step that later steps still read."""
        del again
        for index in run.cut.steps[number].inputs:
            if index in run.cut.static and run.cut.is_read_after(index, number):
                with _memory(run, index) as region:
                    region[:] = bytes(len(region))


class TooSmall(BorderFault):
    """Give intermediate operands half of their space, so that each is overwritten by the next one."""

    def stride(self, size: int) -> int:
        """Return half of the size."""
        return size // 2


class TokenWithoutStep(BorderFault):
    """Use the same cache token for all steps of a model on one device."""

    def in_token(self, operations: Sequence[int]) -> Sequence[int]:
        """Return nothing, so that the operations do not enter the token."""
        del operations
        return ()


class ComputedTwice(BorderFault):
    """Execute a step once more after a fallback has already executed it."""

    def after_step(self, run: SplitRun, number: int, again: Callable[[], None] | None) -> None:
        """Repeat the step."""
        del run, number
        if again is not None:
            again()


class WrongResult(BorderFault):
    """Return, after a fallback, the output of the device that failed instead of that of its replacement."""

    def after_failure(self, run: SplitRun, number: int) -> None:
        """Remember the outputs of the device that has failed."""
        for index in run.cut.steps[number].outputs:
            if index in run.places:
                with _memory(run, index) as region:
                    run.of_failed[index] = bytes(region)

    def after_step(self, run: SplitRun, number: int, again: Callable[[], None] | None) -> None:
        """Overwrite the right outputs with those that were remembered."""
        if again is None:
            return
        for index in run.cut.steps[number].outputs:
            if index in run.of_failed:
                with _memory(run, index) as region:
                    region[:] = run.of_failed[index][: len(region)].ljust(len(region), b"\0")


class LeftLocked(BorderFault):
    """Leave a device that has failed locked: no later execution of the model gets it."""

    def before_run(self, run: SplitRun) -> None:
        """Fail at once; a real lock would block forever.

        :raises HalError: a device is locked.
        """
        if run.cut.locked:
            raise failure("a device is locked", "execution/status")

    def after_failure(self, run: SplitRun, number: int) -> None:
        """Keep the lock."""
        run.cut.locked.add(run.cut.steps[number].device)


@contextmanager
def _memory(run: SplitRun, index: int) -> Iterator[memoryview]:
    """Map the bytes of an operand."""
    place = run.places[index]
    assert not isinstance(place.memory, BufferToken), "requests with device memory are refused"  # noqa: S101
    with mapped(place.memory) as view:
        yield view[place.offset : place.offset + place.length]


RIGHT: Final = BorderFault()
"""The hooks of a driver without a planted fault."""
FAULTS: Final = {
    "none": RIGHT,
    "layout": WrongLayout(),
    "state": LostState(),
    "small": TooSmall(),
    "token": TokenWithoutStep(),
    "twice": ComputedTwice(),
    "wrong-device": WrongResult(),
    "locked": LeftLocked(),
}
"""The faults by name; ``none`` plants nothing."""
