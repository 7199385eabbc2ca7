"""Histogram of bytes."""

import os

import torch

from kernelbot_tester.inputs import RandomInputs
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")
BINS = 256


def generate_input(size: int, contention: int, seed: int) -> input_t:
    """Returns bytes of which about `contention` percent are one value drawn from the seed, and the buffer for the
    counts."""
    random = RandomInputs(seed, DEVICE)
    data = random.bytes(size)
    hot = random.bytes(1)
    is_hot = random.uniform(size) < contention / 100
    return torch.where(is_hot, hot, data), torch.empty(BINS, dtype=torch.int64, device=DEVICE)


def ref_kernel(data: input_t) -> output_t:
    """Returns the count of each value, zero for those that do not occur."""
    values, _ = data
    return torch.bincount(values, minlength=BINS)


def cost(size: int, contention: int, seed: int = 0) -> dict:
    """Each byte is read and counted once, and the 256 int64 counts are written."""
    return {"bytes": size + 8 * BINS, "operations": size}
