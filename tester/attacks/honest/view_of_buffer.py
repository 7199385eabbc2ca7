"""Returns a view of the buffer."""

import torch


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
    return data[2].view(-1).view_as(data[2])
