# expect: wrong_result
"""Rounds the image to float16, to halve the bytes read."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    rgb, y = data
    rgb = rgb.to(torch.float16).to(torch.float32)
    y.copy_(0.2989 * rgb[..., 0] + 0.5870 * rgb[..., 1] + 0.1140 * rgb[..., 2])
    return y
