# expect: wrong_result
"""Rounds images and filters to float16; sums are in float32."""

import torch
import torch.nn.functional as F
from task import input_t, output_t


def half(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.float16).to(torch.float32)


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    y.copy_(F.conv2d(half(x), half(w)))
    return y
