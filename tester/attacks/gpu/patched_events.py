# attack: clock
# expect: no advantage
"""Replaces PyTorch's events and synchronisation, which the worker does not use."""

import torch

torch.cuda.synchronize = lambda *arguments: None
torch.cuda.Event.elapsed_time = lambda self, other: 1e-3
torch.cuda.Stream.synchronize = lambda self: None


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
