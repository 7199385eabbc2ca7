"""histogram in Triton: each program counts a block of bytes by atomic additions. The inputs change with every call."""

import triton
import triton.language as tl
from task import input_t, output_t


@triton.jit
def count(values_ptr, counts_ptr, size, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < size
    values = tl.load(values_ptr + places, mask=mask, other=0).to(tl.int32)
    tl.atomic_add(counts_ptr + values, 1, mask=mask)


def custom_kernel(data: input_t) -> output_t:
    values, counts = data
    counts.zero_()
    size = values.numel()
    count[(triton.cdiv(size, 1024),)](values, counts, size, BLOCK=1024)
    return counts
