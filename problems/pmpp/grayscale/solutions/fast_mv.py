# expect: passed
"""Multiplies the (pixels, 3) matrix by the weights: one pass over the image, directly into the output buffer."""

import torch
from task import input_t, output_t

WEIGHTS = torch.tensor([0.2989, 0.5870, 0.1140])


def custom_kernel(data: input_t) -> output_t:
    rgb, y = data
    torch.mv(rgb.view(-1, 3), WEIGHTS.to(rgb.device), out=y.view(-1))
    return y
