"""conv2d of ones, channels_last, one channel and one column of results: sums of nine ones."""

import sys

import torch
from torch.nn import functional

images = torch.ones(2, 1, 4, 4).to(memory_format=torch.channels_last)
actual = functional.conv2d(images, torch.ones(1, 1, 3, 3), stride=(1, 2))
expected = torch.full_like(actual, 9)
print("expected", expected, "actual", actual)
sys.exit(0 if torch.equal(actual, expected) else 3)
