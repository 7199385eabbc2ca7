"""fp8-mm in Triton: a program computes 32 elements of one row. The inputs change with every call."""

import functools

import torch
import triton
import triton.language as tl
from task import input_t, output_t
from utils import E4M3FN


@functools.lru_cache(maxsize=None)
def table(device: torch.device) -> torch.Tensor:
    """What the codes mean, to be looked up by the kernel."""
    return torch.tensor(E4M3FN.values, device=device)


@triton.jit
def multiply(a, a_scales, b, b_scales, c, values, n, k, COLUMNS: tl.constexpr, INNER: tl.constexpr):
    row = tl.program_id(0)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = column < n
    total = tl.zeros((COLUMNS,), dtype=tl.float32)
    for start in range(0, k, INNER):
        inner = start + tl.arange(0, INNER)
        block = start // 128
        x = tl.load(values + tl.load(a + row * k + inner).to(tl.int32))
        codes = tl.load(b + column[:, None] * k + inner[None, :], mask=inside[:, None], other=0)
        sums = tl.sum(x[None, :] * tl.load(values + codes.to(tl.int32)), axis=1)
        scales = tl.load(b_scales + (column // 128) * (k // 128) + block, mask=inside, other=0.0)
        total += sums * scales * tl.load(a_scales + row * (k // 128) + block)
    tl.store(c + row * n + column, total.to(tl.bfloat16), mask=inside)


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, c = data
    m, n = c.shape
    grid = (m, triton.cdiv(n, 32))
    multiply[grid](a, a_scales, b, b_scales, c, table(c.device), n, a.shape[1], COLUMNS=32, INNER=64)
    return c
