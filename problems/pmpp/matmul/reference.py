"""Product of two float32 matrices."""

import math
import os

import torch
import torch.backends.cuda

from kernelbot_tester.inputs import RandomInputs
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

# The product is defined in float32; TF32 would round the operands to 11 significant bits.
torch.backends.cuda.matmul.allow_tf32 = False


def generate_input(m: int, n: int, k: int, seed: int) -> input_t:
    """Returns normally distributed matrices whose product has elements of order 1, and the buffer for it."""
    random = RandomInputs(seed, DEVICE)
    a = random.normal(m, k)
    b = random.normal(k, n).mul_(k**-0.5)
    return a, b, torch.empty(m, n, device=DEVICE)


def ref_kernel(data: input_t) -> output_t:
    """Returns the matrix product."""
    a, b, _ = data
    return a @ b


def oracle(data: input_t) -> output_t:
    """Returns the product in float64."""
    a, b, _ = data
    return a.double() @ b.double()


def cost(m: int, n: int, k: int, seed: int = 0) -> dict:
    """Each float32 element of a and b is read and each of c is written once. Of the k multiplications and k additions
    for each element of c, a Strassen-like scheme saves an eighth each time that it halves the matrices, which is not
    worthwhile for blocks of fewer than 32 rows."""
    halvings = max(0, int(math.log2(min(m, n, k) / 32)))
    return {"bytes": 4 * (m * k + k * n + m * n), "operations": 2 * m * n * k * 7**halvings // 8**halvings}
