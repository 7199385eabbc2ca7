# expect: passed
"""Multiplies the whole image by the weights, then sums over the channels."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    rgb, y = data
    weights = torch.tensor([0.2989, 0.5870, 0.1140], device=rgb.device)
    return torch.sum(rgb * weights, dim=-1, out=y)
