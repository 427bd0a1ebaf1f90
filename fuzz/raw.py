"""Changes of bytes that mean nothing to us, for harnesses with a mutator of their own.

Where libFuzzer runs these are its own, which know the dictionary and what code has compared with parts of inputs.
``atheris.Mutate`` of 3.0.0 says that ``Fuzz`` has to be called first, even inside it, so that it is asked directly.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

_LONGEST: Final = 32
_KINDS: Final = 5


class Native:
    """libFuzzer's change of bytes, given the number that there may be; None where it does not run."""

    def __init__(self) -> None:
        """It does not run yet."""
        self.change: Callable[[bytes, int], bytes] | None = None


NATIVE: Final = Native()


def raw_mutation(data: bytes, max_size: int, seed: int, words: Sequence[bytes] = ()) -> bytes:
    """The bytes with a bit flipped, a few replaced, inserted, removed or moved; at most ``max_size`` of them.

    ``words`` is a dictionary, one of which is put in now and then.
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
    """The bytes with a word of a dictionary in place of as many, or between them."""
    word, begin = draw.choice(words), draw.randrange(len(data) + 1)
    return data[:begin] + word + data[begin + draw.randrange(2) * len(word) :]


def raw_crossover(data: bytes, other: bytes, max_size: int, seed: int) -> bytes:
    """The beginning of one and the end of the other; at most ``max_size`` bytes."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    return (data[: draw.randrange(len(data) + 1)] + other[draw.randrange(len(other) + 1) :])[:max_size]
