# expect: passed
"""Token by token: the state at a token is the state at the start of the chunk, decayed by exp(g), plus updates."""

import torch
from task import input_t, output_t

CHUNK = 64


def custom_kernel(data: input_t) -> output_t:
    k, w, u, g, initial, h, x, last = data
    state = initial
    for t in range(k.shape[1]):
        if t % CHUNK == 0:
            begin, before = state, 0.0
            h[:, t // CHUNK] = begin
        x[:, t] = u[:, t] - torch.einsum("bhk,bhkv->bhv", w[:, t], begin)
        gate = (g[:, t] - before).exp()[..., None, None]
        state = gate * state + k[:, t, :, :, None] * x[:, t, :, None, :]
        before = g[:, t]
    last.copy_(state)
    return h, x, last
