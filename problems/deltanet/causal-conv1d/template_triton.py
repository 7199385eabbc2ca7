"""causal-conv1d in Triton: a program convolves a block of one row. The inputs change with every call."""

import triton
import triton.language as tl
from task import input_t, output_t

BLOCK = 256


@triton.jit
def convolve(x, w, bias, y, dim, seqlen, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    channel = row % dim
    start = row.to(tl.int64) * seqlen
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32) + tl.load(bias + channel)
    for k in range(WIDTH):
        at = t - (WIDTH - 1) + k
        element = tl.load(x + start + at, mask=(at >= 0) & (at < seqlen), other=0.0)
        total += tl.load(w + channel * WIDTH + k) * element
    tl.store(y + start + t, total, mask=t < seqlen)


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    batch, dim, seqlen = x.shape
    grid = (batch * dim, triton.cdiv(seqlen, BLOCK))
    convolve[grid](x, w, bias, y, dim, seqlen, WIDTH=w.shape[1], BLOCK=BLOCK)
    return y
