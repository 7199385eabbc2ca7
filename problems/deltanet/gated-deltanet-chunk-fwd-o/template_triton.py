"""gated-deltanet-chunk-fwd-o in Triton: a program computes the row of o of one token and head. The inputs change with
every call."""

import triton
import triton.language as tl
from task import input_t, output_t


@triton.jit
def read(
    q,
    k,
    x,
    h,
    g,
    o,
    seqlen,
    heads,
    chunks,
    DIM_K: tl.constexpr,
    DIM_V: tl.constexpr,
    BLOCK_K: tl.constexpr,
    BLOCK_V: tl.constexpr,
):
    # Tokens and heads of all batches in one index: the next token of the same head is `heads` further.
    token = tl.program_id(0).to(tl.int64)
    head = token % heads
    t = token // heads % seqlen
    batch = token // heads // seqlen
    rows = tl.arange(0, BLOCK_K)
    columns = tl.arange(0, BLOCK_V)
    gate = tl.load(g + token)
    query = tl.load(q + token * DIM_K + rows, mask=rows < DIM_K, other=0.0)
    place = (batch * chunks + t // 64) * heads + head
    state = tl.load(
        h + (place * DIM_K + rows[:, None]) * DIM_V + columns[None, :],
        mask=(rows[:, None] < DIM_K) & (columns[None, :] < DIM_V),
        other=0.0,
    )
    total = tl.exp(gate) * tl.sum(query[:, None] * state, axis=0)
    for back in range(t % 64 + 1):
        other = token - back * heads
        key = tl.load(k + other * DIM_K + rows, mask=rows < DIM_K, other=0.0)
        weight = tl.exp(gate - tl.load(g + other)) * tl.sum(query * key, axis=0)
        total += weight * tl.load(x + other * DIM_V + columns, mask=columns < DIM_V, other=0.0)
    tl.store(o + token * DIM_V + columns, total, mask=columns < DIM_V)


def custom_kernel(data: input_t) -> output_t:
    q, k, x, h, g, o = data
    batch, chunks, heads, dim_k, dim_v = h.shape
    seqlen = q.shape[1]
    blocks = {"BLOCK_K": triton.next_power_of_2(dim_k), "BLOCK_V": triton.next_power_of_2(dim_v)}
    grid = (batch * seqlen * heads,)
    read[grid](q, k, x, h, g, o, seqlen, heads, chunks, DIM_K=dim_k, DIM_V=dim_v, **blocks)
    return o
