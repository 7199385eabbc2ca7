"""Returns a tensor with transposed strides."""

import torch


def custom_kernel(data):
    return torch.mm(data[1].T, data[0].T).T
