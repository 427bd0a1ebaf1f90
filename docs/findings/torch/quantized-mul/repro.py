"""ops.quantized.mul of 64 codes to a far smaller scale."""

import sys
import warnings

import torch

warnings.simplefilter("ignore")  # quantised tensors are deprecated
codes = torch.quantize_per_tensor(torch.full((64,), 200.0), 2.0, 0, torch.quint8)
actual = torch.ops.quantized.mul(codes, codes, 1e-8, 0).int_repr()
expected = torch.full_like(actual, 255)
print("expected", expected, "actual", actual)
sys.exit(0 if torch.equal(actual, expected) else 3)
