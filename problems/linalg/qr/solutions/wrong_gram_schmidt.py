# expect: wrong_result
"""Gram-Schmidt orthogonalization, whose Q is not orthogonal where columns are nearly dependent."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, q, r = data
    r.zero_()
    q.copy_(a)
    for j in range(a.shape[-1]):
        r[:, j, j] = torch.linalg.vector_norm(q[:, :, j], dim=1)
        q[:, :, j] /= r[:, j, j, None]
        row = q[:, None, :, j] @ q[:, :, j + 1 :]
        r[:, j, j + 1 :] = row[:, 0]
        q[:, :, j + 1 :] -= q[:, :, j, None] * row
    return q, r
