# expect: wrong_result
"""Omits the last of several input channels."""

import torch.nn.functional as F
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    used = max(1, x.shape[1] - 1)
    y.copy_(F.conv2d(x[:, :used], w[:, :used]))
    return y
