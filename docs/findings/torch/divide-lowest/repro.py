"""div of the int32 numbers -2147483648 and -1, rounded to trunc: the process ends with SIGFPE."""

import sys

import torch

left, right = torch.tensor([-(2**31)], dtype=torch.int32), torch.tensor([-1], dtype=torch.int32)
print("expected a number, or an exception", flush=True)
actual = torch.div(left, right, rounding_mode="trunc")
print("actual", actual)
sys.exit(0 if True else 3)
