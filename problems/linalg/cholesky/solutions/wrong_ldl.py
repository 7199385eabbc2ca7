# expect: wrong_result
"""Returns the factor of L D L^T, whose diagonal is 1."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, l = data
    factor = torch.linalg.cholesky(a)
    l.copy_(factor / factor.diagonal(dim1=1, dim2=2)[:, None])
    return l
