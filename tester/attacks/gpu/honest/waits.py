"""Waits for the device itself, which is not required."""

import torch


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
    torch.cuda.synchronize()
    return data[2]
