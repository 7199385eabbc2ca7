# expect: passed
"""Computes the chunks of each head without copying them, with two matrix products that write into the output."""

import torch
from task import input_t, output_t

CHUNK = 64


def custom_kernel(data: input_t) -> output_t:
    q, k, x, h, g, o = data
    whole = q.shape[1] // CHUNK * CHUNK
    for start, stop, size in ((0, whole, CHUNK), (whole, q.shape[1], q.shape[1] - whole)):
        if start < stop:
            parts = (part[:, start:stop].unflatten(1, (-1, size)) for part in (q, k, x, g, o))
            read(*parts, h[:, start // CHUNK : -(-stop // CHUNK)])
    return o


def read(q, k, x, g, o, h) -> None:
    """Chunks of one size: tensors (batch, chunks, tokens, heads, ...), states (batch, chunks, heads, dim_k, dim_v)."""
    for b in range(q.shape[0]):
        for d in range(q.shape[3]):
            at = b, slice(None), slice(None), d
            gates = g[at][..., None]
            scores = torch.bmm(q[at], k[at].transpose(1, 2))
            scores.mul_((gates - gates.transpose(1, 2)).tril_().exp_()).tril_()
            torch.bmm(q[at] * gates.exp(), h[b, :, d], out=o[at])
            o[at].baddbmm_(scores, x[at])
