"""prefixsum in Triton: sums of blocks, what lies before each block, and running sums within the blocks. The inputs
change with every call."""

import torch
import triton
import triton.language as tl
from task import input_t, output_t

BLOCK = 1024


@triton.jit
def add_blocks(x_ptr, sums_ptr, size, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + places, mask=places < size, other=0.0)
    tl.store(sums_ptr + tl.program_id(0), tl.sum(x, axis=0))


@triton.jit
def add_within(x_ptr, before_ptr, y_ptr, size, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + places, mask=places < size, other=0.0)
    before = tl.load(before_ptr + tl.program_id(0))
    tl.store(y_ptr + places, before + tl.cumsum(x, axis=0), mask=places < size)


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    size = x.numel()
    blocks = triton.cdiv(size, BLOCK)
    sums = torch.empty(blocks, device=x.device)
    add_blocks[(blocks,)](x, sums, size, BLOCK=BLOCK)
    before = torch.cumsum(sums, dim=0) - sums
    add_within[(blocks,)](x, before, y, size, BLOCK=BLOCK)
    return y
