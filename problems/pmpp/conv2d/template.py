"""conv2d: write the convolution of the images x with the filters w to y. The inputs change with every call."""

import torch.nn.functional as F
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    y.copy_(F.conv2d(x, w))
    return y
