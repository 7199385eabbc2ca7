"""vectorsum in Triton: each program adds up a block, and the sums of the blocks are added up. The inputs change with
every call."""

import torch
import triton
import triton.language as tl
from task import input_t, output_t

BLOCK = 4096


@triton.jit
def add_blocks(x_ptr, sums_ptr, size, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + places, mask=places < size, other=0.0)
    tl.store(sums_ptr + tl.program_id(0), tl.sum(x, axis=0))


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    size = x.numel()
    blocks = triton.cdiv(size, BLOCK)
    sums = torch.empty(blocks, device=x.device)
    add_blocks[(blocks,)](x, sums, size, BLOCK=BLOCK)
    return torch.sum(sums, dim=0, keepdim=True, out=y)
