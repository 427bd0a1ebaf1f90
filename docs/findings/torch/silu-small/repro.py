"""silu of -89."""

import sys

import torch
from torch.nn import functional

actual = functional.silu(torch.tensor([-89.0]))
expected = torch.tensor([-1.9823536e-37])
print("expected", expected, "actual", actual)
sys.exit(0 if torch.allclose(actual, expected, rtol=1e-5, atol=0) else 3)
