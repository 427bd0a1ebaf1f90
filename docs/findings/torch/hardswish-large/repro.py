"""hardswish of 1e38."""

import sys

import torch
from torch.nn import functional

expected = torch.tensor([1e38])
actual = functional.hardswish(expected)
print("expected", expected, "actual", actual)
sys.exit(0 if torch.allclose(actual, expected, rtol=1e-5, atol=0) else 3)
