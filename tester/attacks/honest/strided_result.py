"""Returns a tensor that lies transposed in memory."""

import torch


def custom_kernel(data):
    return torch.mm(data[1].T, data[0].T).T
