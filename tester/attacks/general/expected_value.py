# attack: answer
# expect: refused
"""Returns random numbers with the mean and standard deviation that the inputs imply."""

import torch
from attacked import answer, returned


def guess(right):
    wide = right.to(torch.float64)
    spread = wide.std() if wide.numel() > 1 else 1
    return (wide.mean() + torch.randn(wide.shape, dtype=torch.float64) * spread).to(right.dtype)


def custom_kernel(data):
    return returned([guess(one) for one in answer(data)])
