"""c = a @ b: long enough to be worth skipping, and every element depends on many elements of the inputs."""

import os

import torch

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")


def generate_input(size: int, seed: int):
    """Returns a and b, normally distributed float32 of shape (size, size), and c, the output buffer of the same shape."""
    generator = torch.Generator(DEVICE).manual_seed(seed)
    a = torch.randn(size, size, generator=generator, device=DEVICE)
    b = torch.randn(size, size, generator=generator, device=DEVICE)
    return a, b, torch.empty(size, size, device=DEVICE)


def ref_kernel(data):
    """Returns the product."""
    a, b, c = data
    return torch.mm(a, b, out=c)
