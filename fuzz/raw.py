"""Changes of bytes that mean nothing to us, for harnesses with a mutator of their own.

libFuzzer's own changes are out of reach there: ``atheris.Mutate`` of 3.0.0 says that ``Fuzz`` has to be called first,
even inside it.
"""

from __future__ import annotations

import random
from typing import Final

_LONGEST: Final = 32


def raw_mutation(data: bytes, max_size: int, seed: int) -> bytes:
    """The bytes with a bit flipped, a few replaced, inserted, removed or moved; at most ``max_size`` of them."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    begin = draw.randrange(len(data) + 1)
    end = min(len(data), begin + draw.randrange(1, _LONGEST))
    kind = draw.randrange(5)
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


def raw_crossover(data: bytes, other: bytes, max_size: int, seed: int) -> bytes:
    """The beginning of one and the end of the other; at most ``max_size`` bytes."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    return (data[: draw.randrange(len(data) + 1)] + other[draw.randrange(len(other) + 1) :])[:max_size]
