"""fake_quantize_per_channel_affine of 1e19."""

import sys

import torch

given, scale, zero = torch.tensor([[1e19]]), torch.ones(1), torch.zeros(1, dtype=torch.int32)
actual = torch.fake_quantize_per_channel_affine(given, scale, zero, 0, -128, 127)
expected = torch.tensor([[127.0]])
print("expected", expected, "actual", actual)
sys.exit(0 if torch.allclose(actual, expected, rtol=1e-5, atol=0) else 3)
