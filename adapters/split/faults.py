"""Planted faults of borders between steps, to see that tests find such faults; ``fault=NAME`` plants one."""

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
"""Tensors of lower rank have no channels to be moved."""


class BorderFault:
    """No fault: what a device over devices does between steps."""

    def stride(self, size: int) -> int:
        """Space for an intermediate operand of so many bytes."""
        return size

    def in_token(self, operations: Sequence[int]) -> Sequence[int]:
        """The model and operations of a step, as its cache token has them."""
        return operations

    def before_run(self, run: SplitRun) -> None:
        """An execution begins."""

    def after_failure(self, run: SplitRun, number: int) -> None:
        """A device has failed to execute a step, which another one is to try."""

    def after_step(self, run: SplitRun, number: int, again: Callable[[], None] | None) -> None:
        """A step has run; ``again`` executes it once more, and is None if no device had failed before."""


class WrongLayout(BorderFault):
    """A tensor that crosses a border is transposed: its channels, which are last, come second."""

    def after_step(self, run: SplitRun, number: int, again: Callable[[], None] | None) -> None:
        """Transpose what the step has computed for others."""
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
    """A tensor that crosses a border is lost after one step has read it: the next step reads zeros."""

    def after_step(self, run: SplitRun, number: int, again: Callable[[], None] | None) -> None:
        """Clear what the step has read and others are still to read."""
        del again
        for index in run.cut.steps[number].inputs:
            if index in run.cut.static and run.cut.is_read_after(index, number):
                with _memory(run, index) as region:
                    region[:] = bytes(len(region))


class TooSmall(BorderFault):
    """Intermediate operands get half of their space, so that those behind them overwrite their ends."""

    def stride(self, size: int) -> int:
        """Return half of it."""
        return size // 2


class TokenWithoutStep(BorderFault):
    """All steps of a model that one device prepares have the same cache token."""

    def in_token(self, operations: Sequence[int]) -> Sequence[int]:
        """None of them."""
        del operations
        return ()


class ComputedTwice(BorderFault):
    """After a fallback the step is executed once more."""

    def after_step(self, run: SplitRun, number: int, again: Callable[[], None] | None) -> None:
        """Execute it."""
        del run, number
        if again is not None:
            again()


class WrongResult(BorderFault):
    """After a fallback the result is what the device that failed had in its memory."""

    def after_failure(self, run: SplitRun, number: int) -> None:
        """Remember the outputs of the device that has failed."""
        for index in run.cut.steps[number].outputs:
            if index in run.places:
                with _memory(run, index) as region:
                    run.of_failed[index] = bytes(region)

    def after_step(self, run: SplitRun, number: int, again: Callable[[], None] | None) -> None:
        """Put them into the place of the right ones."""
        if again is None:
            return
        for index in run.cut.steps[number].outputs:
            if index in run.of_failed:
                with _memory(run, index) as region:
                    region[:] = run.of_failed[index][: len(region)].ljust(len(region), b"\0")


class LeftLocked(BorderFault):
    """A device that has failed stays locked: no later execution of the model gets it."""

    def before_run(self, run: SplitRun) -> None:
        """Fail at once, where waiting for the lock would last for ever.

        :raises HalError: a device is locked.
        """
        if run.cut.locked:
            raise failure("a device is locked", "execution/status")

    def after_failure(self, run: SplitRun, number: int) -> None:
        """Keep the lock."""
        run.cut.locked.add(run.cut.steps[number].device)


@contextmanager
def _memory(run: SplitRun, index: int) -> Iterator[memoryview]:
    """The bytes of an operand."""
    place = run.places[index]
    assert not isinstance(place.memory, BufferToken), "requests with device memory are refused"  # noqa: S101
    with mapped(place.memory) as view:
        yield view[place.offset : place.offset + place.length]


RIGHT: Final = BorderFault()
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
"""Faults by name; the first one is none."""
