"""qr in Triton: reflections after Householder, in two launches for each column. The inputs change with every call."""

import torch
import triton
import triton.language as tl
from task import input_t, output_t


@triton.jit
def find(r, v, n, j, BLOCK: tl.constexpr):
    # v = x + sign(x[j]) |x| e[j], of length sqrt(2), so that the reflection is I - v v^T. A program has a matrix.
    matrix = tl.program_id(0).to(tl.int64)
    rows = tl.arange(0, BLOCK)
    x = tl.load(r + matrix * n * n + rows * n + j, mask=(rows >= j) & (rows < n), other=0.0)
    norm = tl.sqrt(tl.sum(x * x, axis=0))
    x += tl.where(rows == j, tl.where(x < 0, -norm, norm), 0.0)
    # Where the column is zero, so is v, and nothing is reflected.
    length = tl.maximum(tl.sum(x * x, axis=0), 1e-30)
    tl.store(v + matrix * n + rows, x * tl.sqrt(2.0 / length), mask=rows < n)


@triton.jit
def reflect(q, r, v, n, j, BLOCK: tl.constexpr):
    # A program has a column of R and a row of Q.
    matrix = tl.program_id(0).to(tl.int64)
    own = tl.program_id(1)
    places = tl.arange(0, BLOCK)
    inside = places < n
    w = tl.load(v + matrix * n + places, mask=inside, other=0.0)
    column = r + matrix * n * n + places * n + own
    x = tl.load(column, mask=inside, other=0.0)
    x -= w * tl.sum(w * x, axis=0)
    tl.store(column, tl.where((places > j) & (own == j), 0.0, x), mask=inside)
    row = q + matrix * n * n + own * n + places
    x = tl.load(row, mask=inside, other=0.0)
    tl.store(row, x - w * tl.sum(w * x, axis=0), mask=inside)


def custom_kernel(data: input_t) -> output_t:
    a, q, r = data
    batch, n, _ = a.shape
    r.copy_(a)
    q.zero_()
    q.diagonal(dim1=1, dim2=2).fill_(1)
    v = torch.empty(batch, n, device=a.device)
    block = triton.next_power_of_2(n)
    for j in range(n - 1):
        find[(batch,)](r, v, n, j, BLOCK=block)
        reflect[(batch, n)](q, r, v, n, j, BLOCK=block)
    return q, r
