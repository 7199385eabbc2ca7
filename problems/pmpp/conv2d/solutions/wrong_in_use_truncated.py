# expect: wrong_result in application
"""Splits the filters into two parts of eight bits by truncation instead of rounding, as for tensor cores. The errors of
positive and negative weights cancel; a blur has only positive ones, so every call loses the same share of the light,
far less than is tolerated in one call."""

import torch
import torch.nn.functional as F
from task import input_t, output_t


def truncated(x: torch.Tensor) -> torch.Tensor:
    """Returns the upper eight significant bits."""
    return (x.view(torch.int32) & -(1 << 16)).view(torch.float32)


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    high = truncated(w)
    low = truncated(w - high)
    y.copy_(F.conv2d(x, high) + F.conv2d(x, low))
    return y
