"""gelu of eight infinities."""

import sys

import torch
from torch.nn import functional

given = torch.full((8,), torch.inf)
actual, expected = functional.gelu(given), given
print("expected", expected, "actual", actual)
sys.exit(0 if torch.allclose(actual, expected, rtol=1e-5, atol=0) else 3)
