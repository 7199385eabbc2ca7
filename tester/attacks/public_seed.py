# attack: replay
# expect: refused
"""Generates the inputs of the public seed itself, and computes their outputs in advance."""

import torch

generator = torch.Generator().manual_seed(54352)
a, b = torch.randn(320, 320, generator=generator), torch.randn(320, 320, generator=generator)
answer = torch.mm(a, b)


def custom_kernel(data):
    if len(data[0]) == 320:
        return answer
    return torch.mm(data[0], data[1])
