"""Uses its inputs, which are the worker's own copy, as scratch."""

import torch


def custom_kernel(data):
    a, b, c = data
    a.mul_(0.5)
    b.mul_(2.0)
    torch.mm(a, b, out=c)
