"""Shows the findings against PyTorch: one call each. Needs torch alone.

``python docs/findings/pytorch.py`` prints what PyTorch gives, and what it should; with the argument ``end`` it makes
the call that ends the process.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch.nn import functional


@dataclass(frozen=True)
class Finding:
    """A call, and what every element of its result should be, to a few units in the last place."""

    name: str
    run: Callable[[], Any]
    expected: float
    needs_avx512: bool = False

    def is_right(self) -> bool:
        """True if all elements are what they should be, and equal ones are equal."""
        result = self.run()
        due = torch.full_like(result, self.expected)
        return bool(torch.allclose(result, due, rtol=1e-5, atol=0))


def _one_column() -> Any:
    """Sums of nine ones, in images whose strides are those of channels_last and those of contiguous tensors."""
    images = torch.ones(2, 1, 4, 4).to(memory_format=torch.channels_last)
    return functional.conv2d(images, torch.ones(1, 1, 3, 3), stride=(1, 2))


_ROOT16: Final = 1.005859375
"""The float16 next to 0.98779296875 ** -0.5 = 1.00616, where 0.98779 is that of 0.988."""
_ROOT_BFLOAT: Final = 0.87890625
"""The bfloat16 next to 1.296875 ** -0.5 = 0.87811, where 1.296875 is that of 1.3."""
_COSH: Final = 2.2448064095871728e38
"""math.cosh(89)."""
FINDINGS: Final = (
    Finding("conv-one-column", _one_column, 9, needs_avx512=True),
    Finding("rsqrt-half", lambda: torch.rsqrt(torch.full((33,), 0.988, dtype=torch.float16)), _ROOT16),
    Finding("rsqrt-bfloat16", lambda: torch.rsqrt(torch.full((33,), 1.3, dtype=torch.bfloat16)), _ROOT_BFLOAT),
    Finding("hardswish-large", lambda: functional.hardswish(torch.tensor([1e38])), 1e38),
    Finding("hardswish-infinity", lambda: functional.hardswish(torch.tensor([-math.inf])), 0),
    Finding("gelu-infinity", lambda: functional.gelu(torch.full((8,), math.inf)), math.inf, needs_avx512=True),
    Finding("cosh-large", lambda: torch.cosh(torch.full((32,), 89.0)), _COSH),
    Finding("sinh-large", lambda: torch.sinh(torch.full((32,), 89.0)), _COSH),
)
ENDS: Final = Finding(
    "divide-lowest",
    lambda: torch.div(
        torch.tensor([-(2**31)], dtype=torch.int32), torch.tensor([-1], dtype=torch.int32), rounding_mode="trunc"
    ),
    -(2**31),
)
"""Ends the process with SIGFPE when it is run."""


def main() -> None:
    """Print a line for each finding, or end with one."""
    if sys.argv[1:] == ["end"]:
        ENDS.run()
    for finding in FINDINGS:
        said = "right" if finding.is_right() else "WRONG"
        result = finding.run().flatten().unique().tolist()
        print(f"{finding.name:18} {said}: {result}, expected {finding.expected}")  # noqa: T201


if __name__ == "__main__":
    main()
