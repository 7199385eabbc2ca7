"""Compiles itself with TorchScript."""

import torch


@torch.jit.script
def multiply(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.mm(a, b)


def custom_kernel(data):
    return multiply(data[0], data[1])
