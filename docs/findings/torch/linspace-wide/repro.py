"""linspace from -3e38 to 3e38."""

import sys

import torch

actual = torch.linspace(-3e38, 3e38, 5)
expected = torch.tensor([-3e38, -1.5e38, 0, 1.5e38, 3e38])
print("expected", expected, "actual", actual)
sys.exit(0 if torch.allclose(actual, expected, rtol=1e-5, atol=0) else 3)
