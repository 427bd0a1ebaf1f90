"""airy_ai of -1e30."""

import sys

import torch

actual = torch.special.airy_ai(torch.tensor([-1e30]))
expected = torch.special.airy_ai(torch.tensor([-1e30], dtype=torch.float64))
print("expected", expected, "actual", actual)
sys.exit(0 if torch.isfinite(actual).all() else 3)
