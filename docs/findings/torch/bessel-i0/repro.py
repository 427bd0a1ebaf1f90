"""i0 of 89."""

import sys

import torch

actual = torch.special.i0(torch.tensor([89.0]))
expected = torch.tensor([1.9012419e37])
print("expected", expected, "actual", actual)
sys.exit(0 if torch.allclose(actual, expected, rtol=1e-5, atol=0) else 3)
