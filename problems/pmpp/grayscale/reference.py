"""Luma of an RGB image, with the weights of ITU-R BT.601."""

import os

import torch

from kernelbot_tester.inputs import RandomInputs
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")


def generate_input(height: int, width: int, seed: int) -> input_t:
    """Returns an image of uniform noise, so that every channel of every pixel matters, and the buffer for its luma."""
    random = RandomInputs(seed, DEVICE)
    rgb = random.uniform(height, width, 3)
    return rgb, torch.empty(height, width, device=DEVICE)


def ref_kernel(data: input_t) -> output_t:
    """Returns the weighted sum of the channels."""
    rgb, _ = data
    return 0.2989 * rgb[..., 0] + 0.5870 * rgb[..., 1] + 0.1140 * rgb[..., 2]


def oracle(data: input_t) -> output_t:
    """Returns the weighted sum in float64."""
    rgb, _ = data
    return rgb.double() @ torch.tensor([0.2989, 0.5870, 0.1140], dtype=torch.float64, device=rgb.device)


def cost(height: int, width: int, seed: int = 0) -> dict:
    """Each pixel reads three float32 and writes one, with three multiplications and two additions."""
    pixels = height * width
    return {"bytes": (3 + 1) * 4 * pixels, "operations": 5 * pixels}
