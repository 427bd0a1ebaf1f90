"""Inputs that are a list of steps, each of so many bytes: packets, frames, calls, changes of files, lines of a spec.

A step reads its choices from its own bytes, so that a step that is changed, added, left out or moved leaves all others
what they were. The mutator and the crossover here serve every harness whose inputs have this form.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nnvet.fuzz.harness import Seed
from nnvet.fuzz.raw import NATIVE
from nnvet.generators.random_graphs.fuzzed import PlainBytes

_RAW: Final = 0.05
"""Share of inputs that are changed as bytes, whatever they mean."""
_CHANGES: Final = (1, 1, 1, 2, 2, 3, 5)
_EDGES: Final = (0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 254, 255)
_RUNS: Final = (1, 1, 1, 2, 4)
"""So many steps in a row are left out, repeated or moved."""
_SEEDS: Final = 32


@dataclass(frozen=True)
class StepForm:
    """``size`` bytes for each of at most ``most`` steps, behind ``head`` bytes that are for all of them."""

    size: int
    most: int
    head: int = 0

    @property
    def max_len(self) -> int:
        """Bytes of the longest input."""
        return self.head + self.size * self.most

    def split(self, data: bytes) -> tuple[bytes, list[bytes]]:
        """The head and the steps of an input, as long as they have to be: zeros stand for what is missing."""
        body = data[self.head : self.max_len]
        steps = [body[at : at + self.size].ljust(self.size, b"\0") for at in range(0, len(body), self.size)]
        return data[: self.head].ljust(self.head, b"\0"), steps

    def sources(self, data: bytes) -> tuple[PlainBytes, list[PlainBytes]]:
        """Return the bytes that the head chooses from, and those of each step."""
        head, steps = self.split(data)
        return PlainBytes(head), [PlainBytes(step) for step in steps]

    def seeds(self, name: str) -> Iterator[Seed]:
        """Random inputs of a few steps for a harness to begin with."""
        for number in range(_SEEDS):
            draw = random.Random(f"{name}/{number}")  # noqa: S311 - no secret
            count = draw.randrange(1, 1 + min(self.most, 16))
            yield Seed(f"random-{number}", draw.randbytes(self.head + count * self.size))

    def mutated(self, data: bytes, max_size: int, seed: int) -> bytes | None:
        """An input with a few changes, each of one step or of the order of steps."""
        draw = random.Random(seed)  # noqa: S311 - no secret
        if draw.random() < _RAW:
            return None
        head, steps = self.split(data)
        for _ in range(draw.choice(_CHANGES)):
            if self.head and not draw.randrange(2 + len(steps)):
                head = _with_other_byte(draw, head)
            else:
                steps = self._changed(draw, steps)
        return self._joined(head, steps, max_size)

    def crossed(self, data: bytes, other: bytes, max_size: int, seed: int) -> bytes:
        """The first steps of one and the last of the other, or steps of the other amid those of the one."""
        draw = random.Random(seed)  # noqa: S311 - no secret
        (head, steps), (_, others) = self.split(data), self.split(other)
        begin, first = draw.randrange(len(steps) + 1), draw.randrange(len(others) + 1)
        last = draw.randrange(first, len(others) + 1)
        kept = steps[begin:] if draw.randrange(2) else []
        return self._joined(head, [*steps[:begin], *others[first : last if kept else None], *kept], max_size)

    def _joined(self, head: bytes, steps: list[bytes], max_size: int) -> bytes:
        count = max(0, min(self.most, (max_size - self.head) // self.size))
        return (head + b"".join(steps[:count]))[:max_size]

    def _changed(self, draw: random.Random, steps: list[bytes]) -> list[bytes]:
        """The steps with one changed, replaced, added, left out, repeated, moved or exchanged with another."""
        place = draw.randrange(len(steps) + 1)
        if place == len(steps):
            return [*steps, draw.randbytes(self.size)]
        change = draw.choice(_OF_STEPS)
        if change is None:
            return [*steps[:place], draw.randbytes(self.size), *steps[place:]]
        return change(draw, steps, place)


def _other(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    return [*steps[:place], _with_other_byte(draw, steps[place]), *steps[place + 1 :]]


def _left_out(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    return [*steps[:place], *steps[place + draw.choice(_RUNS) :]]


def _repeated(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    at = draw.randrange(len(steps))
    return [*steps[:at], *steps[place : place + draw.choice(_RUNS)], *steps[at:]]


def _repeated_otherwise(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    at = draw.randrange(len(steps))
    return [*steps[:at], _with_other_byte(draw, steps[place]), *steps[at:]]


def _moved(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    end, at = place + draw.choice(_RUNS), draw.randrange(len(steps))
    rest = [*steps[:place], *steps[end:]]
    return [*rest[:at], *steps[place:end], *rest[at:]]


def _exchanged(draw: random.Random, steps: list[bytes], place: int) -> list[bytes]:
    at, new = draw.randrange(len(steps)), [*steps]
    new[place], new[at] = steps[at], steps[place]
    return new


_OF_STEPS: Final = (None, _other, _other, _left_out, _repeated, _repeated_otherwise, _moved, _exchanged)
"""Changes of the steps at the position of one; None: there is one more."""


def _with_other_byte(draw: random.Random, step: bytes) -> bytes:
    """One byte is another one; the first ones, which most depends on, more often. Or libFuzzer changes the step."""
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
