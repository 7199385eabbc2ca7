# expect: passed
"""Blocks of columns, all matrices at once: a small factorization, a triangular solve, and a product that
updates the remainder."""

import torch
from task import input_t, output_t

BLOCK = 64


def custom_kernel(data: input_t) -> output_t:
    a, l = data
    n = a.shape[-1]
    torch.tril(a, out=l)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        corner = torch.linalg.cholesky_ex(l[:, start:stop, start:stop])[0]
        l[:, start:stop, start:stop] = corner
        if stop < n:
            below = l[:, stop:, start:stop]
            below.copy_(torch.linalg.solve_triangular(corner.mT, below, upper=True, left=False))
            l[:, stop:, stop:] -= torch.tril(below @ below.mT)
    return l
