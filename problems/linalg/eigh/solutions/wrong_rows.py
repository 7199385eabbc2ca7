# expect: wrong_result
"""Returns the eigenvectors as rows."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, w, v = data
    values, vectors = torch.linalg.eigh(a)
    w.copy_(values)
    v.copy_(vectors.mT)
    return w, v
