# expect: wrong_result
"""Householder reflections, with the operands of the products rounded to float16 (as TF32 rounds them)."""

import torch
from task import input_t, output_t


def half(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.float16).to(torch.float32)


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
        r[:, j:, j:] -= 2 * half(v) @ half(half(v).mT @ half(r[:, j:, j:]))
        q[:, :, j:] -= 2 * half(half(q[:, :, j:]) @ half(v)) @ half(v).mT
    r.triu_()
    return q, r
