# expect: wrong_result
"""Flips the filters, as the convolution of signal processing does."""

import torch.nn.functional as F
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    y.copy_(F.conv2d(x, w.flip(-1, -2)))
    return y
