"""Returns a parameter that requires gradients."""

import torch


def custom_kernel(data):
    return torch.nn.Parameter(data[0] @ data[1])
