# expect: passed
"""Head by head, with matrix products that write directly into the states."""

import torch
from task import input_t, output_t

CHUNK = 64


def custom_kernel(data: input_t) -> output_t:
    k, w, u, g, initial, h, x, last = data
    chunks = h.shape[1]
    for b in range(h.shape[0]):
        for d in range(h.shape[2]):
            h[b, 0, d] = initial[b, d]
            for n in range(chunks):
                at = b, slice(n * CHUNK, (n + 1) * CHUNK), d
                state, added, gates = h[b, n, d], x[at], g[at]
                following = h[b, n + 1, d] if n + 1 < chunks else last[b, d]
                torch.addmm(u[at], w[at], state, alpha=-1, out=added)
                keys = k[at] * (gates[-1] - gates).exp_()[:, None]
                torch.addmm(state * gates[-1].exp(), keys.t(), added, out=following)
    return h, x, last
