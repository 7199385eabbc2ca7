"""cholesky: write the lower triangular factor of each matrix of a to l, zeros included. The inputs change with every
call."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, l = data
    l.copy_(torch.linalg.cholesky(a))
    return l
