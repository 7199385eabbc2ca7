"""SiLU of one product times another, of matrices in NVFP4."""

import os

import torch
import torch.backends.cuda
import torch.nn.functional as F

from operands import NVFP4_RMS, random_nvfp4
from task import input_t, output_t
from utils import dequantize_nvfp4

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False


def generate_input(m: int, n: int, k: int, seed: int) -> input_t:
    """Returns random codes and scales, the factors that scale both products to order 1, and the buffer for the
    result."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    a, a_scales = random_nvfp4(generator, m, k)
    b1, b1_scales = random_nvfp4(generator, n, k)
    b2, b2_scales = random_nvfp4(generator, n, k)
    alpha = (1 + torch.rand(2, generator=generator, device=DEVICE)) / (NVFP4_RMS**2 * k**0.5)
    return a, a_scales, b1, b1_scales, b2, b2_scales, alpha, torch.empty(m, n, dtype=torch.float16, device=DEVICE)


def ref_kernel(data: input_t) -> output_t:
    """Returns both products of the decoded matrices in float32, and the result rounded to float16."""
    return _gated(data, torch.float32).to(torch.float16)


def oracle(data: input_t) -> output_t:
    """Returns the result in float64."""
    return _gated(data, torch.float64)


def _gated(data: input_t, dtype: torch.dtype) -> torch.Tensor:
    a, a_scales, b1, b1_scales, b2, b2_scales, alpha, _ = data
    left = dequantize_nvfp4(a, a_scales, dtype)
    gate = left @ dequantize_nvfp4(b1, b1_scales, dtype).t() * alpha[0]
    up = left @ dequantize_nvfp4(b2, b2_scales, dtype).t() * alpha[1]
    return F.silu(gate) * up


def cost(m: int, n: int, k: int, seed: int = 0) -> dict:
    """Each byte of codes and scales is read, and each float16 of c written once. A table indexed by two bytes,
    of two codes each, replaces two multiplications and an addition by a lookup; that leaves the lookup and an
    addition."""
    read = (m + 2 * n) * (k // 2 + k // 16) + 8
    return {"bytes": read + 2 * m * n, "operations": 2 * m * n * k}
