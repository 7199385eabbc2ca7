"""Sum of a vector."""

import os

import torch

from kernelbot_tester.inputs import RandomInputs
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")


def generate_input(size: int, seed: int) -> input_t:
    """Returns elements whose sum is of order 1 for every size, and the buffer for the sum."""
    random = RandomInputs(seed, DEVICE)
    x = random.normal(size).mul_(size**-0.5)
    return x, torch.empty(1, device=DEVICE)


def ref_kernel(data: input_t) -> output_t:
    """Returns the sum, added in float64 and rounded once."""
    x, _ = data
    return torch.sum(x, dim=0, keepdim=True, dtype=torch.float64).to(torch.float32)


def oracle(data: input_t) -> output_t:
    """Returns the sum in float64."""
    x, _ = data
    return torch.sum(x, dim=0, keepdim=True, dtype=torch.float64)


def cost(size: int, seed: int = 0) -> dict:
    """Each float32 element is read once and added once; the sum is written."""
    return {"bytes": 4 * size + 4, "operations": size}
