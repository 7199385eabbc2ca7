"""Writes into the buffer and returns None."""

import torch


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
