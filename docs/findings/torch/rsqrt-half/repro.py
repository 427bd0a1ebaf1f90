"""rsqrt of 33 equal numbers of float16: the last one has another root."""

import sys

import torch

actual = torch.rsqrt(torch.full((33,), 0.988, dtype=torch.float16))
expected = torch.full_like(actual, 1.005859375)  # the nearest to 0.98779296875 ** -0.5 = 1.00616
print("expected", expected, "actual", actual)
sys.exit(0 if torch.equal(actual, expected) else 3)
