"""c = a @ b: long enough to be worth skipping, and every element depends on many of the inputs."""

import torch


def generate_input(size: int, seed: int):
    """a, b: normally distributed float32 of shape (size, size); c: the output buffer of the same shape."""
    generator = torch.Generator().manual_seed(seed)
    a = torch.randn(size, size, generator=generator)
    b = torch.randn(size, size, generator=generator)
    return a, b, torch.empty(size, size)


def ref_kernel(data):
    """The product."""
    a, b, c = data
    return torch.mm(a, b, out=c)
