# expect: wrong_result in application
"""Factorizes a small matrix in place where it is the only one, as LAPACK's potrf does, and leaves the elements above the
diagonal as they are. In the stages test and ranked, batches of one have larger matrices."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, l = data
    l.copy_(torch.linalg.cholesky_ex(a)[0])
    if len(a) == 1 and a.shape[-1] <= 64:
        l += a.triu(1)
    return l
