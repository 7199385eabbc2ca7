"""Writes into the buffer and returns it."""

import torch


def custom_kernel(data):
    a, b, c = data
    torch.mm(a, b, out=c)
    return c
