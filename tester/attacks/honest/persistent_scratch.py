"""Keeps scratch buffers per shape between calls."""

import torch

scratch = {}


def custom_kernel(data):
    a, b, c = data
    buffer = scratch.get(a.shape)
    if buffer is None:
        buffer = scratch[a.shape] = torch.empty(b.shape)
    buffer.copy_(b)
    torch.mm(a, buffer, out=c)
