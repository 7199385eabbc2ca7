# expect: wrong_result
"""Rounds the operands of the products to float16; sums are in float32."""

from task import input_t, output_t

CHUNK = 64


def custom_kernel(data: input_t) -> output_t:
    q, k, x, h, g, o = data
    for n, start in enumerate(range(0, q.shape[1], CHUNK)):
        chunk = slice(start, start + CHUNK)
        queries, keys, added = (part[:, chunk].transpose(1, 2).half().float() for part in (q, k, x))
        gates = g[:, chunk].transpose(1, 2)[..., None]
        decays = (gates - gates.transpose(2, 3)).tril().exp().tril()
        scores = (queries @ keys.transpose(2, 3) * decays).half().float()
        o[:, chunk] = (gates.exp() * (queries @ h[:, n].half().float()) + scores @ added).transpose(1, 2)
    return o
