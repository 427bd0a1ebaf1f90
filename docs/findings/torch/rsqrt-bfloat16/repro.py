"""rsqrt of 33 equal numbers of bfloat16: the last one has another root."""

import sys

import torch

actual = torch.rsqrt(torch.full((33,), 1.3, dtype=torch.bfloat16))
expected = torch.full_like(actual, 0.87890625)  # the nearest to 1.296875 ** -0.5 = 0.87811
print("expected", expected, "actual", actual)
sys.exit(0 if torch.equal(actual, expected) else 3)
