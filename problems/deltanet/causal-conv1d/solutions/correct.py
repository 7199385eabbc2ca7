# expect: passed
"""Adds tap by tap, each to the part of the sequence that it covers."""

from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    seqlen, width = x.shape[-1], w.shape[-1]
    y.copy_(bias[:, None].expand_as(x))
    for back in range(min(width, seqlen)):
        y[..., back:] += w[:, width - 1 - back, None] * x[..., : seqlen - back]
    return y
