"""Inclusive prefix sum."""

import os

import torch

from kernelbot_tester.inputs import RandomInputs
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")


def generate_input(size: int, seed: int) -> input_t:
    """Returns steps of a random walk whose end is of order 1 for every size, and the buffer for the walk."""
    random = RandomInputs(seed, DEVICE)
    x = random.normal(size).mul_(size**-0.5)
    return x, torch.empty_like(x)


def ref_kernel(data: input_t) -> output_t:
    """Returns the running sums, added in float64 and rounded once."""
    x, _ = data
    return torch.cumsum(x, dim=0, dtype=torch.float64).to(torch.float32)


def oracle(data: input_t) -> output_t:
    """Returns the running sums in float64."""
    x, _ = data
    return torch.cumsum(x, dim=0, dtype=torch.float64)


def cost(size: int, seed: int = 0) -> dict:
    """Each float32 element is read once, each sum is written once, and each takes one addition."""
    return {"bytes": 2 * 4 * size, "operations": size}
