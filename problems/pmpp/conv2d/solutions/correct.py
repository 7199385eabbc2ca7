# expect: passed
"""Copies every patch to a column of a matrix (im2col) and multiplies by the filters."""

import torch.nn.functional as F
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    patches = F.unfold(x, w.shape[-1])
    y.copy_((w.flatten(1) @ patches).view(y.shape))
    return y
