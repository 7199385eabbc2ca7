"""trimul in Triton: one program for each pair of residues. The inputs change with every call."""

import torch
import triton
import triton.language as tl
from task import input_t, output_t

# Rows of a matrix that a program takes at once.
ROWS = 16


@triton.jit
def normalise(v, scale, bias, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < SIZE
    centred = tl.where(inside, v - tl.sum(v, axis=0) / SIZE, 0.0)
    variance = tl.sum(centred * centred, axis=0) / SIZE
    factors = tl.load(scale + columns, mask=inside, other=0.0)
    return centred / tl.sqrt(variance + 1e-5) * factors + tl.load(bias + columns, mask=inside, other=0.0)


@triton.jit
def multiply(matrix, v, start, rows, SIZE: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    # Rows start .. start + ROWS - 1 of matrix (rows, SIZE) times v.
    row = start + tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)
    inside = (row[:, None] < rows) & (columns[None, :] < SIZE)
    return tl.sum(tl.load(matrix + row[:, None] * SIZE + columns[None, :], mask=inside, other=0.0) * v[None, :], axis=1)


@triton.jit
def project(
    z, mask, scale, bias, wa, wa_gate, wb, wb_gate, x, a, b, MASKED: tl.constexpr, DIM: tl.constexpr,
    HIDDEN: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    pair = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    v = tl.load(z + pair * DIM + columns, mask=columns < DIM, other=0.0)
    v = normalise(v, scale, bias, DIM, BLOCK)
    tl.store(x + pair * DIM + columns, v, mask=columns < DIM)
    kept = 1.0
    if MASKED:
        kept = tl.load(mask + pair)
    for start in range(0, HIDDEN, ROWS):
        row = start + tl.arange(0, ROWS)
        one = tl.sigmoid(multiply(wa_gate, v, start, HIDDEN, DIM, BLOCK, ROWS)) * kept
        one = one * multiply(wa, v, start, HIDDEN, DIM, BLOCK, ROWS)
        other = tl.sigmoid(multiply(wb_gate, v, start, HIDDEN, DIM, BLOCK, ROWS)) * kept
        other = other * multiply(wb, v, start, HIDDEN, DIM, BLOCK, ROWS)
        tl.store(a + pair * HIDDEN + row, one, mask=row < HIDDEN)
        tl.store(b + pair * HIDDEN + row, other, mask=row < HIDDEN)


@triton.jit
def combine(
    x, a, b, scale, bias, w_out, out_gate, out, n, DIM: tl.constexpr, HIDDEN: tl.constexpr, BLOCK: tl.constexpr,
    BLOCK_HIDDEN: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    pair = tl.program_id(0).to(tl.int64)
    i = pair // n
    j = pair // n // n * n + pair % n
    channels = tl.arange(0, BLOCK_HIDDEN)
    inside = channels < HIDDEN
    sums = tl.zeros((BLOCK_HIDDEN,), dtype=tl.float32)
    for k in range(n):
        one = tl.load(a + (i * n + k) * HIDDEN + channels, mask=inside, other=0.0)
        other = tl.load(b + (j * n + k) * HIDDEN + channels, mask=inside, other=0.0)
        sums += one * other
    sums = normalise(sums, scale, bias, HIDDEN, BLOCK_HIDDEN)
    columns = tl.arange(0, BLOCK)
    v = tl.load(x + pair * DIM + columns, mask=columns < DIM, other=0.0)
    for start in range(0, DIM, ROWS):
        row = start + tl.arange(0, ROWS)
        gates = tl.sigmoid(multiply(out_gate, v, start, DIM, DIM, BLOCK, ROWS))
        update = gates * multiply(w_out, sums, start, DIM, HIDDEN, BLOCK_HIDDEN, ROWS)
        tl.store(out + pair * DIM + row, update, mask=row < DIM)


def custom_kernel(data: input_t) -> output_t:
    z, mask, w, out = data
    bs, n, _, dim = z.shape
    hidden = w["a"].shape[0]
    sizes = {"DIM": dim, "HIDDEN": hidden, "BLOCK": triton.next_power_of_2(dim), "ROWS": ROWS}
    x = torch.empty_like(z)
    a, b = torch.empty(2, bs, n, n, hidden, device=z.device)
    project[(bs * n * n,)](
        z, z if mask is None else mask, w["norm_scale"], w["norm_bias"], w["a"], w["a_gate"], w["b"], w["b_gate"],
        x, a, b, MASKED=mask is not None, **sizes
    )  # fmt: skip
    combine[(bs * n * n,)](
        x, a, b, w["sum_scale"], w["sum_bias"], w["out"], w["out_gate"], out, n,
        BLOCK_HIDDEN=triton.next_power_of_2(hidden), **sizes
    )  # fmt: skip
    return out
