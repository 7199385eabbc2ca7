# expect: wrong_result
"""Returns the eigenvalues in descending order."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, w, v = data
    values, vectors = torch.linalg.eigh(a)
    w.copy_(values.flip(1))
    v.copy_(vectors.flip(2))
    return w, v
