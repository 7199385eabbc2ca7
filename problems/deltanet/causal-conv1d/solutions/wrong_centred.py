# expect: wrong_result
"""Pads both sides, as for images, and so reads later inputs."""

import torch.nn.functional as F
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    dim, width = w.shape
    before = width // 2
    y.copy_(F.conv1d(F.pad(x, (before, width - 1 - before)), w[:, None], bias, groups=dim))
    return y
