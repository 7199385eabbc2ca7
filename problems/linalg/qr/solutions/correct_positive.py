# expect: passed
"""Returns the factorization whose R has no negative diagonal element."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, q, r = data
    torch.linalg.qr(a, out=(q, r))
    signs = torch.where(r.diagonal(dim1=1, dim2=2) < 0, -1.0, 1.0)
    q.mul_(signs[:, None, :])
    r.mul_(signs[:, :, None])
    return q, r
