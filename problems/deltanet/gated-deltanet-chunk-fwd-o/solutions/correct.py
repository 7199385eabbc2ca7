# expect: passed
"""Updates the state token by token within each chunk, and reads it as in the recurrence."""

import torch
from task import input_t, output_t

CHUNK = 64


def custom_kernel(data: input_t) -> output_t:
    q, k, x, h, g, o = data
    state = torch.zeros_like(h[:, 0])
    for t in range(q.shape[1]):
        begins = t % CHUNK == 0
        gate = g[:, t] if begins else g[:, t] - g[:, t - 1]
        state = gate.exp()[..., None, None] * (h[:, t // CHUNK] if begins else state)
        state += k[:, t, :, :, None] * x[:, t, :, None, :]
        o[:, t] = torch.einsum("bhk,bhkv->bhv", q[:, t], state)
    return o
