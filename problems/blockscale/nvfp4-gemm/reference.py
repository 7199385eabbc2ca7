"""Product of two matrices in NVFP4."""

import os

import torch
import torch.backends.cuda

from operands import NVFP4_RMS, random_nvfp4
from task import input_t, output_t
from utils import dequantize_nvfp4

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False


def generate_input(m: int, n: int, k: int, seed: int) -> input_t:
    """Returns random codes and scales, the factor that scales the product to order 1, and the buffer for it."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    a, a_scales = random_nvfp4(generator, m, k)
    b, b_scales = random_nvfp4(generator, n, k)
    alpha = (0.5 + torch.rand(1, generator=generator, device=DEVICE)) / (NVFP4_RMS**2 * k**0.5)
    return a, a_scales, b, b_scales, alpha, torch.empty(m, n, dtype=torch.float16, device=DEVICE)


def ref_kernel(data: input_t) -> output_t:
    """Returns the product of the decoded matrices in float32, rounded to float16."""
    return _product(data, torch.float32).to(torch.float16)


def oracle(data: input_t) -> output_t:
    """Returns the product in float64."""
    return _product(data, torch.float64)


def _product(data: input_t, dtype: torch.dtype) -> torch.Tensor:
    a, a_scales, b, b_scales, alpha, _ = data
    return dequantize_nvfp4(a, a_scales, dtype) @ dequantize_nvfp4(b, b_scales, dtype).t() * alpha


def cost(m: int, n: int, k: int, seed: int = 0) -> dict:
    """Each byte of codes and scales is read, and each float16 of c written once. A table indexed by two bytes,
    of two codes each, replaces two multiplications and an addition by a lookup; that leaves the lookup and an
    addition."""
    read = (m + n) * (k // 2 + k // 16) + 4
    return {"bytes": read + 2 * m * n, "operations": m * n * k}
