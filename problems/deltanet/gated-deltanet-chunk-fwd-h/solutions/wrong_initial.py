# expect: wrong_result
"""Returns the initial state in h, but computes with zeros."""

from task import input_t, output_t

CHUNK = 64


def custom_kernel(data: input_t) -> output_t:
    k, w, u, g, initial, h, x, last = data
    state = initial
    for n, start in enumerate(range(0, k.shape[1], CHUNK)):
        chunk = slice(start, start + CHUNK)
        h[:, n] = state
        gates = g[:, chunk].transpose(1, 2)[..., None]
        end = gates[:, :, -1:]
        added = u[:, chunk].transpose(1, 2) - w[:, chunk].transpose(1, 2) @ (state * (n > 0))
        x[:, chunk] = added.transpose(1, 2)
        keys = k[:, chunk].transpose(1, 2) * (end - gates).exp()
        state = end.exp() * state + keys.transpose(2, 3) @ added
    last.copy_(state)
    return h, x, last
