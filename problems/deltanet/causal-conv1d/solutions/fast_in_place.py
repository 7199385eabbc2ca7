# expect: passed
"""Adds one tap after the other in the output buffer, without a tensor in between."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    seqlen, width = x.shape[-1], w.shape[-1]
    torch.addcmul(bias[:, None], w[:, -1:], x, out=y)
    for back in range(1, min(width, seqlen)):
        y[..., back:].addcmul_(w[:, width - 1 - back, None], x[..., : seqlen - back])
    return y
