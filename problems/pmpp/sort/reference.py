"""Ascending sort of float32."""

import os

import torch

from kernelbot_tester.inputs import RandomInputs
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")


def generate_input(size: int, seed: int) -> input_t:
    """Returns numbers of both signs over eight decades, some of them twice, and the buffer for the result."""
    random = RandomInputs(seed, DEVICE)
    decade = random.uniform(size).mul_(8).sub_(4)
    x = random.normal(size).mul_(torch.pow(10.0, decade))
    eighth = size // 8
    x[:eighth] = x[eighth : 2 * eighth]
    return x, torch.empty_like(x)


def ref_kernel(data: input_t) -> output_t:
    """Returns the elements in ascending order."""
    x, _ = data
    return torch.sort(x).values


def cost(size: int, seed: int = 0) -> dict:
    """Each float32 element is read once and written once. No count of comparisons is needed: a radix sort makes none.
    Each element is read at least once."""
    return {"bytes": 2 * 4 * size, "operations": size}
