# expect: wrong_result
"""Rounds the operands of the products to float16; sums and state are in float32."""

import torch
from task import input_t, output_t

CHUNK = 64


def half(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.float16).to(torch.float32)


def custom_kernel(data: input_t) -> output_t:
    k, w, u, g, initial, h, x, last = data
    state = initial
    for n, start in enumerate(range(0, k.shape[1], CHUNK)):
        chunk = slice(start, start + CHUNK)
        h[:, n] = state
        gates = g[:, chunk].transpose(1, 2)[..., None]
        end = gates[:, :, -1:]
        added = u[:, chunk].transpose(1, 2) - half(w[:, chunk]).transpose(1, 2) @ half(state)
        x[:, chunk] = added.transpose(1, 2)
        keys = k[:, chunk].transpose(1, 2) * (end - gates).exp()
        state = end.exp() * state + half(keys).transpose(2, 3) @ half(added)
    last.copy_(state)
    return h, x, last
