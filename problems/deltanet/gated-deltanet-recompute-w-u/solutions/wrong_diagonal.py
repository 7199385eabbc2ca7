# expect: wrong_result
"""Omits the diagonal of A."""

from task import input_t, output_t

CHUNK = 64


def custom_kernel(data: input_t) -> output_t:
    k, v, beta, a, g, w, u = data
    keys = k * (beta * g.exp())[..., None]
    values = v * beta[..., None]
    for start in range(0, k.shape[1], CHUNK):
        chunk = slice(start, start + CHUNK)
        rows = a[:, chunk].transpose(1, 2)
        rows = rows[..., : rows.shape[2]].tril(-1)
        w[:, chunk] = (rows @ keys[:, chunk].transpose(1, 2)).transpose(1, 2)
        u[:, chunk] = (rows @ values[:, chunk].transpose(1, 2)).transpose(1, 2)
    return w, u
