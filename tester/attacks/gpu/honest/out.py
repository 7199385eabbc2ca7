"""Writes into the buffer."""

import torch


def custom_kernel(data):
    return torch.mm(data[0], data[1], out=data[2])
