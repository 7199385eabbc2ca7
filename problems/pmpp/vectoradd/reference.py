"""Vector addition in half precision: c = a + b."""

import os

import torch

from kernelbot_tester.inputs import RandomInputs
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")


def generate_input(size: int, seed: int) -> input_t:
    """Returns two normally distributed vectors of `size` elements, and the buffer for their sum."""
    random = RandomInputs(seed, DEVICE)
    a = random.normal(size).to(torch.float16)
    b = random.normal(size).to(torch.float16)
    return a, b, torch.empty_like(a)


def ref_kernel(data: input_t) -> output_t:
    """Returns the correctly rounded sum of each pair."""
    a, b, _ = data
    return a + b


def cost(size: int, seed: int = 0) -> dict:
    """Two float16 elements are read and one is written per sum, and each sum is one operation."""
    return {"bytes": 3 * 2 * size, "operations": size}
