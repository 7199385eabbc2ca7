"""moe-mxfp4 in Triton: a program computes some elements of one token for one of its experts, then one adds up the
experts. All inputs change with every call."""

import functools

import torch
import triton
import triton.language as tl
from task import input_t, output_t
from utils import E2M1

ROWS = 32


@functools.lru_cache(maxsize=None)
def table(device):
    """What the codes of 4 bits mean, to be looked up by the kernel."""
    return torch.tensor(E2M1.values, device=device)


@triton.jit
def products(matrix, scales, vector, row, k, e2m1, ROWS: tl.constexpr):
    """The products of some rows of a matrix with a vector of k elements. `row` counts the rows of all experts."""
    total = tl.zeros((ROWS,), dtype=tl.float32)
    for block in range(k // 32):
        byte = block * 16 + tl.arange(0, 16)
        even = tl.load(vector + 2 * byte).to(tl.float32)[None, :]
        odd = tl.load(vector + 2 * byte + 1).to(tl.float32)[None, :]
        pair = tl.load(matrix + row[:, None] * (k // 2) + byte[None, :]).to(tl.int32)
        sums = tl.sum(even * tl.load(e2m1 + (pair & 15)) + odd * tl.load(e2m1 + (pair >> 4)), axis=1)
        # The bits of a float32 that is a power of two are its exponent.
        total += (tl.load(scales + row * (k // 32) + block).to(tl.int32) << 23).to(tl.float32, bitcast=True) * sums
    return total


@triton.jit
def inner(x, experts, gate_up, gate_up_scales, hidden, e2m1, slots, dhidden, dexpert, ROWS: tl.constexpr):
    slot = tl.program_id(0)
    expert = tl.load(experts + slot).to(tl.int64)
    at = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    token = x + (slot // slots).to(tl.int64) * dhidden
    row = expert * 2 * dexpert + at
    gate = products(gate_up, gate_up_scales, token, row, dhidden, e2m1, ROWS)
    up = products(gate_up, gate_up_scales, token, row + dexpert, dhidden, e2m1, ROWS)
    tl.store(hidden + slot.to(tl.int64) * dexpert + at, gate / (1 + tl.exp(-gate)) * up)


@triton.jit
def outer(hidden, experts, weights, down, down_scales, y, e2m1, slots, dhidden, dexpert, ROWS: tl.constexpr):
    token = tl.program_id(0)
    at = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS,), dtype=tl.float32)
    for s in range(slots):
        slot = token * slots + s
        row = tl.load(experts + slot).to(tl.int64) * dhidden + at
        vector = hidden + slot.to(tl.int64) * dexpert
        total += tl.load(weights + slot) * products(down, down_scales, vector, row, dexpert, e2m1, ROWS)
    tl.store(y + token.to(tl.int64) * dhidden + at, total.to(tl.bfloat16))


def custom_kernel(data: input_t) -> output_t:
    x, experts, weights, gate_up, gate_up_scales, down, down_scales, nsharedexperts, y = data
    (bs, dhidden), dexpert = x.shape, 2 * down.shape[2]
    # Every token has the shared experts too, with the weight 1.
    shared = torch.arange(len(down) - nsharedexperts, len(down), dtype=torch.int32, device=x.device).expand(bs, -1)
    experts = torch.cat((experts, shared), dim=1)
    weights = torch.cat((weights, torch.ones_like(shared, dtype=torch.float32)), dim=1)
    slots = experts.shape[1]
    hidden, e2m1 = torch.empty(bs, slots, dexpert, device=x.device), table(x.device)
    grid = (bs * slots, dexpert // ROWS)
    inner[grid](x, experts, gate_up, gate_up_scales, hidden, e2m1, slots, dhidden, dexpert, ROWS=ROWS)
    grid = (bs, dhidden // ROWS)
    outer[grid](hidden, experts, weights, down, down_scales, y, e2m1, slots, dhidden, dexpert, ROWS=ROWS)
    return y
