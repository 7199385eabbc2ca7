# expect: passed
"""Computes the singular values of a shifted matrix, which is positive definite, in float64."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, w, v = data
    wide = a.double()
    shift = 1.5 * torch.linalg.matrix_norm(wide)
    eye = torch.eye(a.shape[-1], dtype=torch.float64, device=a.device)
    u, s, _ = torch.linalg.svd(wide + shift[:, None, None] * eye)
    w.copy_((s - shift[:, None]).flip(1))
    v.copy_(u.flip(2))
    return w, v
