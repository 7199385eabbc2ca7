"""Products of matrices and vectors in NVFP4."""

import os

import torch
import torch.backends.cuda

from operands import NVFP4_RMS, random_nvfp4
from task import input_t, output_t
from utils import dequantize_nvfp4

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False


def generate_input(m: int, k: int, l: int, seed: int) -> input_t:
    """Returns random codes and scales, the factors that scale the products to order 1, and the buffer for them."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    a, a_scales = random_nvfp4(generator, l, m, k)
    b, b_scales = random_nvfp4(generator, l, k)
    alpha = (0.5 + torch.rand(l, generator=generator, device=DEVICE)) / (NVFP4_RMS**2 * k**0.5)
    return a, a_scales, b, b_scales, alpha, torch.empty(l, m, dtype=torch.float16, device=DEVICE)


def ref_kernel(data: input_t) -> output_t:
    """Returns the products of the decoded matrices and vectors in float32, rounded to float16."""
    return _product(data, torch.float32).to(torch.float16)


def oracle(data: input_t) -> output_t:
    """Returns the products in float64."""
    return _product(data, torch.float64)


def _product(data: input_t, dtype: torch.dtype) -> torch.Tensor:
    a, a_scales, b, b_scales, alpha, _ = data
    vectors = dequantize_nvfp4(b, b_scales, dtype).unsqueeze(-1)
    return torch.bmm(dequantize_nvfp4(a, a_scales, dtype), vectors).squeeze(-1) * alpha.unsqueeze(-1)


def cost(m: int, k: int, l: int, seed: int = 0) -> dict:
    """Each byte of codes and scales is read, and each float16 of c written once. A table indexed by two bytes,
    of two codes each, replaces two multiplications and an addition by a lookup; that leaves the lookup and an
    addition."""
    read = l * ((m + 1) * (k // 2 + k // 16) + 4)
    return {"bytes": read + 2 * l * m, "operations": l * m * k}
