"""sinh of 32 times 89."""

import sys

import torch

actual = torch.sinh(torch.full((32,), 89.0))
expected = torch.full((32,), 2.2448064e38)
print("expected", expected, "actual", actual)
sys.exit(0 if torch.allclose(actual, expected, rtol=1e-5, atol=0) else 3)
