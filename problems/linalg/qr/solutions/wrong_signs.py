# expect: wrong_result
"""Makes the diagonal of R positive without changing Q."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, q, r = data
    torch.linalg.qr(a, out=(q, r))
    signs = torch.where(r.diagonal(dim1=1, dim2=2) < 0, -1.0, 1.0)
    r.mul_(signs[:, :, None])
    return q, r
