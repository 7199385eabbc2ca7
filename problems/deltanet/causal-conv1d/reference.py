"""Causal depthwise convolution of sequences."""

import os

import torch
import torch.backends.cudnn
import torch.nn.functional as F

from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

# The convolution is defined in float32; TF32 would round the operands to 11 significant bits.
torch.backends.cudnn.allow_tf32 = False


def generate_input(batch: int, dim: int, seqlen: int, width: int, seed: int) -> input_t:
    """Returns normally distributed sequences, filters that keep their scale, biases, and the buffer for the result."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    x = torch.randn(batch, dim, seqlen, generator=generator, device=DEVICE)
    w = torch.randn(dim, width, generator=generator, device=DEVICE) * width**-0.5
    bias = torch.randn(dim, generator=generator, device=DEVICE)
    return x, w, bias, torch.empty_like(x)


def ref_kernel(data: input_t) -> output_t:
    """Returns the convolution, (batch, dim, seqlen) float32."""
    x, w, bias, _ = data
    return convolve(x, w, bias)


def oracle(data: input_t) -> torch.Tensor:
    """Returns the convolution, (batch, dim, seqlen) float64."""
    x, w, bias = (tensor.double() for tensor in data[:3])
    return convolve(x, w, bias)


def convolve(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Of sequences (batch, dim, seqlen) with filters (dim, width) and biases (dim), in their dtype."""
    dim, width = w.shape
    return F.conv1d(F.pad(x, (width - 1, 0)), w[:, None], bias, groups=dim)


def cost(batch: int, dim: int, seqlen: int, width: int, seed: int = 0) -> dict:
    """Each float32 element of x, w and bias is read and each of y written once, and takes at least one operation: fast
    algorithms for short filters need fewer than the 2 * width of the sum."""
    outputs = batch * dim * seqlen
    return {"bytes": 4 * (2 * outputs + dim * (width + 1)), "operations": outputs}
