"""Inputs of the fuzzer that are lists of steps, such as packets, frames, calls, changes of files or lines of a spec.

Each step has a fixed number of bytes and reads its choices from its own bytes only, so that changing, adding, removing
or moving a step leaves the others as they are. The mutator and the crossover here serve every harness with such inputs.

Where possible, bytes are changed by libFuzzer's own mutators, which know the dictionary and the operands of
comparisons. They are called directly, since ``atheris.Mutate`` of 3.0.0 complains that ``Fuzz`` has not been called,
even within it.

The module also has additions with known results (:class:`SumMemory`), for harnesses in which everything but the model
is unusual.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import Seed
from nnvet.generators.random_graphs.chooser import PlainBytes
from nnvet.graphs.builder import sum_of_two
from nnvet.graphs.hal_model import build_model
from nnvet.hal.memory import create_ashmem, map_memory
from nnvet.hal.types import DataLocation, Memory, Model, Request, RequestArgument

_LONGEST: Final = 32
"""Bytes that a mutation removes or moves are fewer than this."""
_KINDS: Final = 5
"""Number of kinds of mutations of bytes."""


class Native:
    """libFuzzer's own mutator of bytes; it returns None where libFuzzer does not run."""

    def __init__(self) -> None:
        """Begin without libFuzzer, which does not run yet."""
        self.change: Callable[[bytes, int], bytes] | None = None


NATIVE: Final = Native()


def raw_mutation(data: bytes, max_size: int, seed: int, words: Sequence[bytes] = ()) -> bytes:
    """Flip a bit, or replace, insert, remove or move a few bytes; return at most ``max_size`` of them.

    ``words`` is a dictionary; now and then one of its words is put in.
    """
    if NATIVE.change is not None and data:
        return NATIVE.change(data, max_size)
    draw = random.Random(seed)  # noqa: S311 - no secret
    if words and not draw.randrange(_KINDS):
        return with_word(draw, data, words)[:max_size]
    begin = draw.randrange(len(data) + 1)
    end = min(len(data), begin + draw.randrange(1, _LONGEST))
    kind = draw.randrange(_KINDS)
    if kind == 0 and begin < len(data):
        new = data[:begin] + bytes([data[begin] ^ 1 << draw.randrange(8)]) + data[begin + 1 :]
    elif kind == 1:
        new = data[:begin] + data[end:]
    elif kind == 2:  # noqa: PLR2004 - the next of the kinds
        new = data[:begin] + draw.randbytes(end - begin) + data[end:]
    elif kind == 3:  # noqa: PLR2004 - the next of the kinds
        place = draw.randrange(len(data) + 1)
        new = data[:place] + data[begin:end] + data[place:]
    else:
        new = data[:begin] + draw.randbytes(draw.randrange(1, 5)) + data[begin:]
    return new[:max_size]


def with_word(draw: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Return the bytes with a word of a dictionary in place of as many bytes, or between them."""
    word, begin = draw.choice(words), draw.randrange(len(data) + 1)
    return data[:begin] + word + data[begin + draw.randrange(2) * len(word) :]


def raw_crossover(data: bytes, other: bytes, max_size: int, seed: int) -> bytes:
    """Return the beginning of one input and the end of the other; at most ``max_size`` bytes."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    return (data[: draw.randrange(len(data) + 1)] + other[draw.randrange(len(other) + 1) :])[:max_size]


_RAW: Final = 0.05
"""Share of inputs that are changed as bytes, whatever they mean."""
_CHANGES: Final = (1, 1, 1, 2, 2, 3, 5)
"""Numbers of changes of a mutation, each drawn as often as it is listed."""
_EDGES: Final = (0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 254, 255)
"""Values of a byte that are extreme or at powers of 2."""
_RUNS: Final = (1, 1, 1, 2, 4)
"""Number of successive steps that are removed, repeated or moved."""
_SEEDS: Final = 32
"""Number of random inputs to begin with."""


@dataclass(frozen=True)
class StepForm:
    """Form of inputs: ``head`` bytes for the whole input, then ``size`` bytes for each of at most ``most`` steps."""

    size: int
    most: int
    head: int = 0

    @property
    def max_len(self) -> int:
        """Return the size of the longest input in bytes."""
        return self.head + self.size * self.most

    def split(self, data: bytes) -> tuple[bytes, list[bytes]]:
        """Return the head and the steps of an input; missing bytes are zero."""
        body = data[self.head : self.max_len]
        steps = [body[at : at + self.size].ljust(self.size, b"\0") for at in range(0, len(body), self.size)]
        return data[: self.head].ljust(self.head, b"\0"), steps

    def sources(self, data: bytes) -> tuple[PlainBytes, list[PlainBytes]]:
        """Return the sources of choices for the head and for each step."""
        head, steps = self.split(data)
        return PlainBytes(head), [PlainBytes(step) for step in steps]

    def seeds(self, name: str) -> Iterator[Seed]:
        """Return random inputs of a few steps, with which a harness begins."""
        for number in range(_SEEDS):
            draw = random.Random(f"{name}/{number}")  # noqa: S311 - no secret
            count = draw.randrange(1, 1 + min(self.most, 16))
            yield Seed(f"random-{number}", draw.randbytes(self.head + count * self.size))

    def mutated(self, data: bytes, max_size: int, seed: int) -> bytes | None:
        """Return an input with a few changes, each of one step or of the order of steps."""
        draw = random.Random(seed)  # noqa: S311 - no secret
        if draw.random() < _RAW:
            return None
        head, steps = self.split(data)
        for _ in range(draw.choice(_CHANGES)):
            if self.head and not draw.randrange(2 + len(steps)):
                head = _change_byte(draw, head)
            else:
                steps = self._change_steps(draw, steps)
        return self._join(head, steps, max_size)

    def crossed(self, data: bytes, other: bytes, max_size: int, seed: int) -> bytes:
        """Return the first steps of one input and the last of the other, or one with steps of the other inserted."""
        draw = random.Random(seed)  # noqa: S311 - no secret
        (head, steps), (_, others) = self.split(data), self.split(other)
        begin, first = draw.randrange(len(steps) + 1), draw.randrange(len(others) + 1)
        last = draw.randrange(first, len(others) + 1)
        kept = steps[begin:] if draw.randrange(2) else []
        return self._join(head, [*steps[:begin], *others[first : last if kept else None], *kept], max_size)

    def _join(self, head: bytes, steps: list[bytes], max_size: int) -> bytes:
        count = max(0, min(self.most, (max_size - self.head) // self.size))
        return (head + b"".join(steps[:count]))[:max_size]

    def _change_steps(self, draw: random.Random, steps: list[bytes]) -> list[bytes]:
        """Return the steps with one changed, replaced, added, left out, repeated, moved or exchanged with another."""
        place = draw.randrange(len(steps) + 1)
        if place == len(steps):
            return [*steps, draw.randbytes(self.size)]
        change = draw.choice(_OF_STEPS)
        if change is None:
            return [*steps[:place], draw.randbytes(self.size), *steps[place:]]
        return change(draw, steps, place)


def _replace_step(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    return [*steps[:place], _change_byte(draw, steps[place]), *steps[place + 1 :]]


def _remove_steps(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    return [*steps[:place], *steps[place + draw.choice(_RUNS) :]]


def _repeat_steps(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    at = draw.randrange(len(steps))
    return [*steps[:at], *steps[place : place + draw.choice(_RUNS)], *steps[at:]]


def _repeat_with_change(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    at = draw.randrange(len(steps))
    return [*steps[:at], _change_byte(draw, steps[place]), *steps[at:]]


def _move_steps(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    end, at = place + draw.choice(_RUNS), draw.randrange(len(steps))
    rest = [*steps[:place], *steps[end:]]
    return [*rest[:at], *steps[place:end], *rest[at:]]


def _exchange_steps(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    at, new = draw.randrange(len(steps)), [*steps]
    new[place], new[at] = steps[at], steps[place]
    return new


_OF_STEPS: Final = (
    None,
    _replace_step,
    _replace_step,
    _remove_steps,
    _repeat_steps,
    _repeat_with_change,
    _move_steps,
    _exchange_steps,
)
"""Changes of the list of steps, given a position; None: a new step is added."""


def _change_byte(draw: random.Random, step: bytes) -> bytes:
    """Change one byte, more often one of the first, which matter most; or let libFuzzer change the step."""
    if NATIVE.change is not None and not draw.randrange(4):
        return NATIVE.change(step, len(step)).ljust(len(step), b"\0")
    at = min(draw.randrange(len(step)), draw.randrange(len(step)))
    kind = draw.randrange(3)
    if kind == 0:
        value = draw.choice(_EDGES)
    elif kind == 1:
        value = (step[at] + draw.choice((-1, 1))) % 256
    else:
        value = draw.randrange(256)
    return step[:at] + bytes([value]) + step[at + 1 :]


SUM_BYTES: Final = 8
"""Size of each input and of the output: two float32 numbers."""
PLACES: Final = (0, 64)
"""Positions of the inputs in their pool, in bytes."""
_POOL_BYTES: Final = 128
"""Size of each pool of a sum."""
_SLACK: Final = 2**-16
"""Relative error that a sum may have."""


def sum_model(*, relaxed: bool = False) -> Model:
    """Return a model with an ADD of two float32 inputs of shape {2}, which may be computed with 16 bits if relaxed."""
    model = build_model(sum_of_two("sum", [0, 0], [0, 0], [0, 0]))
    return replace(model, relax_computation_float32_to_float16=relaxed)


def sum_models() -> tuple[Model, Model]:
    """Return the sum, then its relaxed form for accelerators that compute in 16 bits; use the first supported one."""
    return sum_model(), sum_model(relaxed=True)


def is_sum(result: npt.NDArray[np.float32], expected: npt.NDArray[np.float32]) -> bool:
    """Return True if a result is the sum; a simulator of 16 bits has whole numbers with a last bit too many."""
    return bool(np.allclose(result, expected, rtol=_SLACK, atol=0))


def sum_request(pools: tuple[Memory, ...]) -> Request:
    """Return a request with the inputs in the first pool, and the output at the beginning of the second."""
    inputs = tuple(RequestArgument(location=DataLocation(0, place, SUM_BYTES)) for place in PLACES)
    return Request(inputs, (RequestArgument(location=DataLocation(1, 0, SUM_BYTES)),), pools)


class SumMemory:
    """Two pools with the arguments of a sum; they are closed when this object is garbage."""

    def __init__(self) -> None:
        """Create pools of zeros."""
        self.inputs, self.output = create_ashmem(_POOL_BYTES), create_ashmem(_POOL_BYTES)
        self.request = sum_request((self.inputs, self.output))
        numbers = [np.frombuffer(map_memory(pool), np.float32) for pool in (self.inputs, self.output)]
        self._addends = [numbers[0][place // 4 : place // 4 + 2] for place in PLACES]
        self._result = numbers[1][:2]

    def fill(self, number: int) -> None:
        """Write inputs that depend on ``number``, and an output that is not their sum."""
        for position, addend in enumerate(self._addends):
            addend[:] = (number + position, 3 * number - position)
        self._result[:] = -1

    def check(self, where: str, first: tuple[float, float] | None = None) -> None:
        """Check that the output is the sum; ``first`` is the first input if that lies elsewhere.

        :raises FuzzFinding: the output is wrong.
        """
        expected = (self._addends[0] if first is None else np.array(first, np.float32)) + self._addends[1]
        if not is_sum(self._result, expected):
            message = f"{where}: the sum is {self._result.tolist()}, expected {expected.tolist()}"
            raise FuzzFinding(FindingKind.WRONG, "execution/output.value", message, place=where)
