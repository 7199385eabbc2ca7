# expect: passed
"""Column by column, all matrices at once: a column of the remainder of A, divided by the root of its first element."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, l = data
    l.zero_()
    for j in range(a.shape[-1]):
        left = a[:, j:, j] - (l[:, j:, :j] @ l[:, j, :j, None])[..., 0]
        l[:, j:, j] = left * left[:, :1].rsqrt()
    return l
