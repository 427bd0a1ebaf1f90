"""hardswish of -infinity."""

import sys

import torch
from torch.nn import functional

actual = functional.hardswish(torch.tensor([-torch.inf]))
expected = torch.tensor([0.0])
print("expected", expected, "actual", actual)
sys.exit(0 if torch.allclose(actual, expected, rtol=1e-5, atol=0) else 3)
