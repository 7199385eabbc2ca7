# expect: wrong_result
"""Returns singular values and vectors, which lose the signs of the eigenvalues."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, w, v = data
    u, s, _ = torch.linalg.svd(a)
    w.copy_(s.flip(1))
    v.copy_(u.flip(2))
    return w, v
