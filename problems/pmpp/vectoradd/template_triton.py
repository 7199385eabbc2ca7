"""vectoradd in Triton: each program adds a block of elements. The inputs change with every call."""

import triton
import triton.language as tl
from task import input_t, output_t


@triton.jit
def add(a_ptr, b_ptr, c_ptr, size, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < size
    a = tl.load(a_ptr + places, mask=mask)
    b = tl.load(b_ptr + places, mask=mask)
    tl.store(c_ptr + places, a + b, mask=mask)


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    size = a.numel()
    add[(triton.cdiv(size, 1024),)](a, b, c, size, BLOCK=1024)
    return c
