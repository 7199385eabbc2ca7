"""Two-dimensional convolution of many channels, valid part."""

import os

import torch
import torch.backends.cudnn
import torch.nn.functional as F

from kernelbot_tester.inputs import RandomInputs
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

# The convolution is defined in float32; TF32 would round the operands to 11 significant bits.
torch.backends.cudnn.allow_tf32 = False


def generate_input(size: int, kernelsize: int, channels: int, batch: int, seed: int) -> input_t:
    """Returns normally distributed images and filters whose convolution has elements of order 1, and the buffer for
    it."""
    random = RandomInputs(seed, DEVICE)
    x = random.normal(batch, channels, size, size)
    w = random.normal(channels, channels, kernelsize, kernelsize)
    w.mul_(channels**-0.5 / kernelsize)
    side = size - kernelsize + 1
    return x, w, torch.empty(batch, channels, side, side, device=DEVICE)


def ref_kernel(data: input_t) -> output_t:
    """Returns the convolution."""
    x, w, _ = data
    return F.conv2d(x, w)


def oracle(data: input_t) -> output_t:
    """Returns the convolution in float64."""
    x, w, _ = data
    return F.conv2d(x.double(), w.double())


def cost(size: int, kernelsize: int, channels: int, batch: int, seed: int = 0) -> dict:
    """Each float32 element of x and w is read and each of y is written once, and takes at least one operation. The
    direct sum takes many more, which an FFT does not need."""
    side = size - kernelsize + 1
    inputs = batch * channels * size**2 + (channels * kernelsize) ** 2
    outputs = batch * channels * side**2
    return {"bytes": 4 * (inputs + outputs), "operations": outputs}
