"""sort in Triton: Batcher's merge exchange (Knuth, The Art of Computer Programming, volume 3, 5.2.2M), in which each
step compares elements at one distance. The inputs change with every call."""

import triton
import triton.language as tl
from task import input_t, output_t


@triton.jit
def compare(y_ptr, size, run, distance, BLOCK: tl.constexpr):
    lower = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    upper = lower + distance
    # Runs of length `run` are merged in pairs; of a pair, elements at this distance are compared.
    first = distance % run
    is_first = (lower >= first) & (((lower - first) // distance) % 2 == 0)
    mask = is_first & (upper < size) & (lower // (2 * run) == upper // (2 * run))
    one = tl.load(y_ptr + lower, mask=mask)
    other = tl.load(y_ptr + upper, mask=mask)
    tl.store(y_ptr + lower, tl.minimum(one, other), mask=mask)
    tl.store(y_ptr + upper, tl.maximum(one, other), mask=mask)


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    y.copy_(x)
    size = x.numel()
    run = 1
    while run < size:
        distance = run
        while distance >= 1:
            compare[(triton.cdiv(size, 1024),)](y, size, run, distance, BLOCK=1024)
            distance //= 2
        run *= 2
    return y
