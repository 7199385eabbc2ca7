# expect: passed
"""Multiplies the chunks of each head without copying them, directly into the output; a shorter chunk is not padded."""

import torch
from task import input_t, output_t

CHUNK = 64


def custom_kernel(data: input_t) -> output_t:
    k, v, beta, a, g, w, u = data
    keys = k * (beta * g.exp())[..., None]
    values = v * beta[..., None]
    whole = k.shape[1] // CHUNK * CHUNK
    for start, stop, size in ((0, whole, CHUNK), (whole, k.shape[1], k.shape[1] - whole)):
        if start < stop:
            parts = (x[:, start:stop].unflatten(1, (-1, size)) for x in (a[..., :size], keys, values, w, u))
            multiply(*parts)
    return w, u


def multiply(a, keys, values, w, u) -> None:
    """Chunks of one size: tensors (batch, chunks, tokens, heads, ...)."""
    for b in range(a.shape[0]):
        for h in range(a.shape[3]):
            at = b, slice(None), slice(None), h
            torch.bmm(a[at], keys[at], out=w[at])
            torch.bmm(a[at], values[at], out=u[at])
