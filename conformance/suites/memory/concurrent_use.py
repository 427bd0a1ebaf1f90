"""MemoryDomainConcurrencyTest: one device memory, used by two threads at the same time, of which one writes.

Values and statuses of such uses are open. None may crash the driver or keep its caller waiting for ever, and afterwards
the memory can be filled and read as before. Not in VTS. Source: docs/contract/hal.md 11.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from nnvet.adapters import DriverGone
from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.concurrent_calls import together
from nnvet.conformance.engine.device_memory import read, write
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.memory.device_copies import closing
from nnvet.conformance.suites.memory.domain import (
    LEVEL,
    OTHER_BATCH,
    ROLE,
    SHAPE,
    UNKNOWN_BATCH,
    Fixture,
    convolution,
    device_memory,
)
from nnvet.conformance.suites.memory.request_runner import RequestRunner, request_runner
from nnvet.generators.graphs.hal_model import create_pool
from nnvet.hal.enums import OperandType
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Buffer, PreparedModel
from nnvet.hal.types import RequestArgument

RULE: Final = "buffer/concurrent"
_SUITE: Final = "MemoryDomainConcurrencyTest"
_TYPE: Final = OperandType.TENSOR_FLOAT32
_ROUNDS: Final = 8
_REPEATS: Final = 4
"""Uses by each thread of a round: they overlap although the two do not begin at one instant."""

_PAIRS: Final = {
    "CopyFrom_CopyFrom": ("copy_from", "copy_from"),
    "CopyFrom_CopyTo": ("copy_from", "copy_to"),
    "CopyFromOtherShape_CopyTo": ("copy_from_other_shape", "copy_to"),
    "CopyFrom_ExecutionInput": ("copy_from", "execution_input"),
    "CopyFrom_ExecutionOutput": ("copy_from", "execution_output"),
    "CopyTo_ExecutionOutput": ("copy_to", "execution_output"),
    "ExecutionInput_ExecutionOutput": ("execution_input", "execution_output"),
    "ExecutionOutput_ExecutionOutput": ("execution_output", "execution_output"),
}
"""Two uses by name; the first or second writes. Reading twice is for the checks of executions side by side."""


@dataclass(frozen=True)
class _Uses:
    """One device memory that is an input and an output of a convolution, and the ways to use it."""

    fixture: Fixture
    prepared: PreparedModel
    buffer: Buffer
    token: int

    @contextmanager
    def use(self, name: str) -> Iterator[Callable[[], None]]:
        """A way to use the memory once; its shared memory stays open for as long as the block runs."""
        if name.startswith("execution"):
            with request_runner(self.fixture.subject) as runner:
                yield partial(self._execute, runner, name)
            return
        batch, dimensions = (OTHER_BATCH[0], OTHER_BATCH) if name == "copy_from_other_shape" else (1, SHAPE)
        content = self.fixture.data(seed=2, batch=batch)
        with closing(create_pool(len(content), ((0, content),))) as memory:
            copies = name == "copy_to"
            yield partial(self.buffer.copy_to, memory) if copies else partial(self.buffer.copy_from, memory, dimensions)

    def _execute(self, runner: RequestRunner, name: str) -> None:
        size, device = self.fixture.size, runner.device(self.token, SHAPE)
        shared = runner.shared(self.fixture.data(seed=3)) if name == "execution_output" else runner.output(size)
        arguments: tuple[list[RequestArgument], list[RequestArgument]] = [shared], [device]
        runner.run(self.prepared, *(arguments if name == "execution_output" else arguments[::-1]))


@check(
    _SUITE,
    "ConcurrentUse",
    rules=(RULE, "buffer/content"),
    level=LEVEL,
    parameters=lambda: _PAIRS,
)
def concurrent_use(subject: Subject, pair: tuple[str, str]) -> None:
    """Each use works alone; then both at once, round after round, end in any way; then each works alone again."""
    is_dynamic = "copy_from_other_shape" in pair
    prepared = convolution(subject, _TYPE, dimensions=UNKNOWN_BATCH if is_dynamic else SHAPE)
    with request_runner(subject) as runner:
        fixture = Fixture(subject, _TYPE, runner)
        buffer, token = device_memory(subject, (prepared,), ROLE, ROLE)
        uses = _Uses(fixture, prepared, buffer, token)
        if any(name.startswith("execution") for name in pair):
            fixture.check_device_memory(prepared)
        _check_alone(uses)
        try:
            for _ in range(_ROUNDS):
                _both(uses, pair)
        except DriverGone as death:
            death.rule = RULE
            death.circumstances = {"change": f"{pair[0]} beside {pair[1]} of one device memory", **death.circumstances}
            raise
        _check_alone(uses)


def _both(uses: _Uses, pair: tuple[str, str]) -> None:
    """Both uses at the same time, some times over; statuses are open.

    :raises DriverGone: the driver dies of it, or one of the two gets no answer.
    """
    timeout_s = uses.fixture.subject.timeout_s
    with uses.use(pair[0]) as first, uses.use(pair[1]) as second:
        together([partial(_repeat, first), partial(_repeat, second)], timeout_s, " beside ".join(pair))


def _repeat(use: Callable[[], None]) -> None:
    for _ in range(_REPEATS):
        try:
            use()
        except HalError:
            # The outcome is open; errors that the driver did not decide on are heard all the same.
            continue


def _check_alone(uses: _Uses) -> None:
    """Fill the memory and read it, with nobody else around.

    :raises CaseFailed: a copy fails, or the content is another one.
    """
    content = uses.fixture.data(seed=1)
    write(uses.buffer, content, SHAPE)
    if read(uses.buffer, len(content)) != content:
        raise fail("buffer/content", "the device memory does not hold what was copied to it")
