"""Rows normalized by their root mean square, with scaled columns."""

import os

import torch

from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")
EPSILON = 1e-6


def generate_input(rows: int, columns: int, seed: int) -> input_t:
    """Returns a normally distributed matrix, weights around 1, and the buffer for the result."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    x = torch.randn(rows, columns, generator=generator, device=DEVICE)
    w = 1 + torch.randn(columns, generator=generator, device=DEVICE) / 2
    return x, w, torch.empty_like(x)


def ref_kernel(data: input_t) -> output_t:
    """Returns the normalized rows, float32 of shape (rows, columns)."""
    x, w, _ = data
    return normalized(x, w)


def oracle(data: input_t) -> output_t:
    """Returns the same in float64."""
    x, w, _ = data
    return normalized(x.double(), w.double())


def normalized(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Returns the normalized rows in the precision of the arguments."""
    return x * torch.rsqrt(x.square().mean(1, keepdim=True) + EPSILON) * w


def cost(rows: int, columns: int, seed: int = 0) -> dict:
    """Each float32 element of x and w is read and each of y is written once. Each of x is squared and added, and each of y
    takes at least one multiplication."""
    return {"bytes": 4 * (2 * rows * columns + columns), "operations": 3 * rows * columns}
