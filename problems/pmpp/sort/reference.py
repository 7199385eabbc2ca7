"""Ascending sort of float32."""

import os

import torch

from kernelbot_tester.inputs import MAX_RANGE, RandomInputs
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")


def generate_input(size: int, seed: int) -> input_t:
    """Returns numbers of both signs over eight decades, of which 1/16 to 1/4 are copies of others, and the buffer
    for the result. How many, which ones and of which follows from the seed, so that no kernel knows what it need not
    sort."""
    random = RandomInputs(seed, DEVICE)
    decade = random.uniform(size).mul_(8).sub_(4)
    x = random.normal(size).mul_(torch.pow(10.0, decade))
    is_copy = random.bytes(size) < random.integers(16, 64, 1, dtype=torch.uint8)
    source = random.integers(0, min(size, MAX_RANGE), size, dtype=torch.int32)
    return torch.where(is_copy, x.index_select(0, source), x), torch.empty_like(x)


def ref_kernel(data: input_t) -> output_t:
    """Returns the elements in ascending order."""
    x, _ = data
    return torch.sort(x).values


def cost(size: int, seed: int = 0) -> dict:
    """Each float32 element is read once and written once. No count of comparisons is needed: a radix sort makes none.
    Each element is read at least once."""
    return {"bytes": 2 * 4 * size, "operations": size}
