# expect: wrong_result
"""Leaves the Householder vectors below the diagonal of R, where LAPACK stores them."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, q, r = data
    packed, factors = torch.geqrf(a)
    q.copy_(torch.linalg.householder_product(packed, factors))
    r.copy_(packed)
    return q, r
