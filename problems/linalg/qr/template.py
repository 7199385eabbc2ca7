"""qr: write an orthogonal and an upper triangular factor of each matrix of a to q and r. The inputs change with every
call."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, q, r = data
    torch.linalg.qr(a, out=(q, r))
    return q, r
