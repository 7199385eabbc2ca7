# expect: wrong_result
"""Reads the channels in the order blue, green, red."""

import torch
from task import input_t, output_t

WEIGHTS = torch.tensor([0.1140, 0.5870, 0.2989])


def custom_kernel(data: input_t) -> output_t:
    rgb, y = data
    torch.mv(rgb.view(-1, 3), WEIGHTS.to(rgb.device), out=y.view(-1))
    return y
