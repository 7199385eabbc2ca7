"""gated-deltanet-chunk-fwd-h in Triton: a program carries one column of the state of one batch and head. The inputs
change with every call."""

import triton
import triton.language as tl
from task import input_t, output_t


@triton.jit
def advance(
    k, w, u, g, initial, h, x, last, seqlen, heads, chunks,
    DIM_K: tl.constexpr, DIM_V: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    # One index for batch and head, as in initial and last.
    both = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1)
    batch = both // heads
    head = both % heads
    rows = tl.arange(0, BLOCK)
    inside = rows < DIM_K
    state = tl.load(initial + (both * DIM_K + rows) * DIM_V + column, mask=inside, other=0.0)
    for n in range(chunks):
        place = (batch * chunks + n) * heads + head
        tl.store(h + (place * DIM_K + rows) * DIM_V + column, state, mask=inside)
        start = n * 64
        stop = tl.minimum(start + 64, seqlen)
        end = tl.load(g + (batch * seqlen + stop - 1) * heads + head)
        grown = state * tl.exp(end)
        for t in range(start, stop):
            token = (batch * seqlen + t) * heads + head
            weights = tl.load(w + token * DIM_K + rows, mask=inside, other=0.0)
            added = tl.load(u + token * DIM_V + column) - tl.sum(weights * state, axis=0)
            tl.store(x + token * DIM_V + column, added)
            keys = tl.load(k + token * DIM_K + rows, mask=inside, other=0.0)
            grown += keys * (tl.exp(end - tl.load(g + token)) * added)
        state = grown
    tl.store(last + (both * DIM_K + rows) * DIM_V + column, state, mask=inside)


def custom_kernel(data: input_t) -> output_t:
    k, w, u, g, initial, h, x, last = data
    batch, chunks, heads, dim_k, dim_v = h.shape
    block = triton.next_power_of_2(dim_k)
    grid = (batch * heads, dim_v)
    advance[grid](
        k, w, u, g, initial, h, x, last, k.shape[1], heads, chunks, DIM_K=dim_k, DIM_V=dim_v, BLOCK=block
    )
    return h, x, last
