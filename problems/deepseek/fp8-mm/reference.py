"""Product of two matrices of 8-bit floating-point numbers with scales for blocks of them."""

import math
import os
from typing import Tuple

import torch
import torch.backends.cuda

from task import input_t, output_t
from utils import E4M3FN, decode, encode

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

#: Elements of a row that share a scale, and rows of b.
BLOCK = 128

#: The standard deviation of the numbers that are encoded: seven of them reach the largest number, 448.
SPREAD = 64.0

# The products are summed in float32; TF32 would round the operands to 11 significant bits.
torch.backends.cuda.matmul.allow_tf32 = False


def generate_input(m: int, n: int, k: int, seed: int) -> input_t:
    """Returns codes of normally distributed numbers, scales for numbers and a product of order 1, and the buffer for
    it."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)

    def operand(rows: int, scaled_rows: int, std: float) -> Tuple[torch.Tensor, torch.Tensor]:
        codes = encode(torch.randn(rows, k, generator=generator, device=DEVICE).mul_(SPREAD), E4M3FN)
        # No -0: on accelerators with E4M3FNUZ its code is NaN.
        codes = codes.masked_fill_(codes == E4M3FN.negative, 0)
        scales = 0.5 + torch.rand(scaled_rows, k // BLOCK, generator=generator, device=DEVICE)
        return codes, scales.mul_(std / SPREAD)

    a = operand(m, m, 1.0)
    b = operand(n, -(-n // BLOCK), k**-0.5)
    return (*a, *b, torch.empty(m, n, dtype=torch.bfloat16, device=DEVICE))


def product(data: input_t, dtype: torch.dtype) -> torch.Tensor:
    """Returns the product (m, n) of the decoded matrices in `dtype`."""
    a, a_scales, b, b_scales, _ = data
    left = decode(a, E4M3FN, dtype) * a_scales.to(dtype).repeat_interleave(BLOCK, dim=1)
    scales = b_scales.to(dtype).repeat_interleave(BLOCK, dim=1).repeat_interleave(BLOCK, dim=0)
    return left @ (decode(b, E4M3FN, dtype) * scales[: b.shape[0]]).t()


def ref_kernel(data: input_t) -> output_t:
    """Returns the product of the decoded matrices in float32, rounded to bfloat16."""
    return product(data, torch.float32).to(torch.bfloat16)


def oracle(data: input_t) -> output_t:
    """Returns the product in float64."""
    return product(data, torch.float64)


def cost(m: int, n: int, k: int, seed: int = 0) -> dict:
    """Each code and each float32 scale is read, and each bfloat16 element of c written once. Of the k multiplications
    and k additions for each element, a Strassen-like scheme saves an eighth each time that it halves the matrices,
    which is not worthwhile for blocks of fewer than 32 rows."""
    halvings = max(0, int(math.log2(min(m, n, k) / 32)))
    scales = (m + -(-n // BLOCK)) * (k // BLOCK)
    return {
        "bytes": (m + n) * k + 4 * scales + 2 * m * n,
        "operations": 2 * m * n * k * 7**halvings // 8**halvings,
    }
