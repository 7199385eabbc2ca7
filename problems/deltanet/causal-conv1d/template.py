"""causal-conv1d: write the convolution of the sequences x with the filters w, plus bias, to y. The inputs change with
every call."""

import torch.nn.functional as F
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    dim, width = w.shape
    y.copy_(F.conv1d(F.pad(x, (width - 1, 0)), w[:, None], bias, groups=dim))
    return y
