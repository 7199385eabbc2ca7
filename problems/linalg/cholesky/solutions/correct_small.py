# expect: passed in application
"""Small matrices element by element, which is correct and far slower than the reference."""

import torch
from task import input_t, output_t

SMALL = 32


def custom_kernel(data: input_t) -> output_t:
    a, l = data
    n = a.shape[-1]
    if n > SMALL:
        l.copy_(torch.linalg.cholesky_ex(a)[0])
        return l
    l.zero_()
    for j in range(n):
        for i in range(j, n):
            rest = a[:, i, j] - (l[:, i, :j] * l[:, j, :j]).sum(1)
            l[:, i, j] = rest.sqrt() if i == j else rest / l[:, j, j]
    return l
