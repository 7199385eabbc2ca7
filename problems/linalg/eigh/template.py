"""eigh: write the eigenvalues of each matrix of a, ascending, to w, and its eigenvectors to the columns of v. The
inputs change with every call."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, w, v = data
    torch.linalg.eigh(a, out=(w, v))
    return w, v
