# expect: wrong_result
"""Factorizes in place and does not clear the elements above the diagonal."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, l = data
    l.copy_(torch.linalg.cholesky(a) + a.triu(1))
    return l
