"""Products of several pairs of matrices in NVFP4."""

import os
from typing import List

import torch
import torch.backends.cuda

from operands import NVFP4_RMS, random_nvfp4
from task import input_t, output_t
from utils import dequantize_nvfp4

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False


def generate_input(m: List[int], n: int, k: int, seed: int) -> input_t:
    """Returns random codes and scales, the factors that scale the products to order 1, and the buffer for them."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    a, a_scales = random_nvfp4(generator, sum(m), k)
    b, b_scales = random_nvfp4(generator, len(m), n, k)
    alpha = (0.5 + torch.rand(len(m), generator=generator, device=DEVICE)) / (NVFP4_RMS**2 * k**0.5)
    return a, a_scales, b, b_scales, alpha, tuple(m), torch.empty(sum(m), n, dtype=torch.float16, device=DEVICE)


def ref_kernel(data: input_t) -> output_t:
    """Returns the products of the decoded matrices in float32, group by group, rounded to float16."""
    return _products(data, torch.float32).to(torch.float16)


def oracle(data: input_t) -> output_t:
    """Returns the products in float64."""
    return _products(data, torch.float64)


def _products(data: input_t, dtype: torch.dtype) -> torch.Tensor:
    a, a_scales, b, b_scales, alpha, m, _ = data
    groups = zip(a.split(m), a_scales.split(m), b, b_scales, alpha)
    return torch.cat(
        [
            dequantize_nvfp4(left, left_scales, dtype) @ dequantize_nvfp4(right, right_scales, dtype).t() * factor
            for left, left_scales, right, right_scales, factor in groups
        ]
    )


def cost(m: List[int], n: int, k: int, seed: int = 0) -> dict:
    """Each byte of codes and scales is read, and each float16 of c written once. A table indexed by two bytes,
    of two codes each, replaces two multiplications and an addition by a lookup; that leaves the lookup and an
    addition."""
    read = (sum(m) + len(m) * n) * (k // 2 + k // 16) + 4 * len(m)
    return {"bytes": read + 2 * sum(m) * n, "operations": sum(m) * n * k}
