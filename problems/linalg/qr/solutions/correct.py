# expect: passed
"""Householder reflections, all matrices at once."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, q, r = data
    n = a.shape[-1]
    r.copy_(a)
    q.copy_(torch.eye(n).expand_as(q))
    for j in range(n - 1):
        v = r[:, j:, j].clone()
        norm = torch.linalg.vector_norm(v, dim=1)
        v[:, 0] += torch.where(v[:, 0] < 0, -norm, norm)
        v = torch.nn.functional.normalize(v, dim=1, eps=1e-20)[..., None]
        r[:, j:, j:] -= 2 * v @ (v.mT @ r[:, j:, j:])
        q[:, :, j:] -= 2 * (q[:, :, j:] @ v) @ v.mT
    r.triu_()
    return q, r
