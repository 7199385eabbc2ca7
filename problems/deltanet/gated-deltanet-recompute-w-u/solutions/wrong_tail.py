# expect: wrong_result
"""Computes only whole chunks of 64 tokens."""

from task import input_t, output_t

CHUNK = 64


def custom_kernel(data: input_t) -> output_t:
    k, v, beta, a, g, w, u = data
    whole = k.shape[1] // CHUNK * CHUNK
    k, v, beta, a, g = (x[:, :whole].unflatten(1, (-1, CHUNK)).transpose(2, 3) for x in (k, v, beta, a, g))
    w[:, :whole] = (a @ (k * (beta * g.exp())[..., None])).transpose(2, 3).flatten(1, 2)
    u[:, :whole] = (a @ (v * beta[..., None])).transpose(2, 3).flatten(1, 2)
    return w, u
