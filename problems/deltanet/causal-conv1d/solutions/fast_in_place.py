# expect: passed
"""Adds tap by tap in the output buffer, without a temporary tensor."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    seqlen, width = x.shape[-1], w.shape[-1]
    torch.addcmul(bias[:, None], w[:, -1:], x, out=y)
    for back in range(1, min(width, seqlen)):
        y[..., back:].addcmul_(w[:, width - 1 - back, None], x[..., : seqlen - back])
    return y
