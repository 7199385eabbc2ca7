# expect: wrong_result
"""Returns the upper triangular factor."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, l = data
    l.copy_(torch.linalg.cholesky(a).mT)
    return l
