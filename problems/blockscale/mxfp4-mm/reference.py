"""Product of activations, quantised to MXFP4, and weights in MXFP4."""

import math
import os

import torch
import torch.backends.cuda

from operands import MXFP4_RMS, random_mxfp4
from task import input_t, output_t
from utils import dequantize_mxfp4, quantize_mxfp4

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False

A_RMS = 1.7
"""Root mean square of `a`: of 2 ** x, x uniformly distributed between -2 and 2."""


def generate_input(m: int, n: int, k: int, seed: int) -> input_t:
    """Returns activations whose blocks differ in magnitude, weights that bring the product to order 1, and its
    buffer."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    magnitudes = torch.rand(m, k // 32, 1, generator=generator, device=DEVICE).mul_(4).sub_(2).exp2_()
    a = torch.randn(m, k // 32, 32, generator=generator, device=DEVICE).mul_(magnitudes).flatten(1).to(torch.bfloat16)
    exponent = -round(math.log2(A_RMS * MXFP4_RMS * k**0.5))
    b, b_scales = random_mxfp4(generator, n, k, exponent=exponent)
    return a, b, b_scales, torch.empty(m, n, dtype=torch.bfloat16, device=DEVICE)


def ref_kernel(data: input_t) -> output_t:
    """Returns the product of the quantised and decoded matrices in float32, rounded to bfloat16."""
    return _product(data, torch.float32).to(torch.bfloat16)


def oracle(data: input_t) -> output_t:
    """Returns the product in float64."""
    return _product(data, torch.float64)


def _product(data: input_t, dtype: torch.dtype) -> torch.Tensor:
    a, b, b_scales, _ = data
    quantised, scales = quantize_mxfp4(a)
    return dequantize_mxfp4(quantised, scales, dtype) @ dequantize_mxfp4(b, b_scales, dtype).t()


def cost(m: int, n: int, k: int, seed: int = 0) -> dict:
    """Each bfloat16 of a and each byte of codes and scales is read, and each bfloat16 of c written once. A table indexed by
    two bytes, of two codes each, replaces two multiplications and an addition by a lookup; that leaves the
    lookup and an addition."""
    return {"bytes": 2 * m * k + n * (k // 2 + k // 32) + 2 * m * n, "operations": m * n * k}
