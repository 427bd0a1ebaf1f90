"""Extreme numbers, which drivers tend to forget.

The mutators of models, requests and files put them in place of ordinary numbers, and :mod:`nnvet.fuzz.words` lists them
in the dictionaries of libFuzzer.
"""

from __future__ import annotations

import math
from typing import Final

INT32_MAX: Final = 2**31 - 1
INT32_MIN: Final = -(2**31)
INTEGERS: Final = (
    *(0, -1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 64, 127, 128, 255, 256, 257, 1000),
    *(2**12, 2**15 - 1, 2**15, 2**16 - 1, 2**16, 2**20, 2**24, 2**30, INT32_MAX, INT32_MAX - 1),
    *(-2, -3, -4, -5, -128, -(2**15), -(2**16), INT32_MIN, INT32_MIN + 1),
)
"""Integers for scalar parameters such as strides, dilations, groups, block sizes, axes and counts."""
DIMENSIONS: Final = (
    0,
    1,
    2,
    3,
    4,
    5,
    8,
    16,
    17,
    64,
    255,
    256,
    1024,
    2**15,
    2**16,
    2**20,
    2**24,
    2**30,
    2**31,
    2**32 - 1,
)
"""Sizes of single dimensions."""
VAST: Final = (
    *((2**16, 2**16), (2**31, 2), (2**31 - 1, 2**31 - 1), (2**32 - 1, 2**32 - 1), (2**32, 2**32), (641, 6700417)),
    *((2**20, 2**20, 2**20), (2**22, 2**10), (1 << 15, 1 << 15, 2), (2**30, 2**30, 2**30, 2**30), (2**15, 2**15)),
)
"""Dimensions whose product exceeds 2^31, 2^32 or 2^64; some products wrap around to 0 or 1."""
REALS: Final = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 1e-6, 1e-45, 1e-38, 1e30, 3.4028235e38, -3.4028235e38),
    *(math.inf, -math.inf, math.nan, 1 / 255, 2.0, 256.0),
)
"""Real numbers for scales and scalar parameters."""
ENDS: Final = (2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63)
"""Numbers at which integers of 16, 32 or 64 bits wrap around."""
ZERO_POINTS: Final = (0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 65535, 65536, INT32_MAX, INT32_MIN)
"""Zero points at and beyond the ends of the ranges of 8- and 16-bit codes and of int32."""
