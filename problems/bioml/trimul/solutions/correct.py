# expect: passed
"""Normalises and projects row by row, and sums channel by channel."""

import torch
from task import input_t, output_t


def normalise(x: torch.Tensor, scale: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + 1e-5) * scale + bias


def custom_kernel(data: input_t) -> output_t:
    z, mask, w, out = data
    x = normalise(z, w["norm_scale"], w["norm_bias"])
    a = (x @ w["a"].t()) * torch.sigmoid(x @ w["a_gate"].t())
    b = (x @ w["b"].t()) * torch.sigmoid(x @ w["b_gate"].t())
    if mask is not None:
        a[mask == 0] = 0
        b[mask == 0] = 0
    sums = torch.stack([a[..., c] @ b[..., c].transpose(1, 2) for c in range(a.shape[-1])], -1)
    sums = normalise(sums, w["sum_scale"], w["sum_bias"])
    out.copy_(torch.sigmoid(x @ w["out_gate"].t()) * (sums @ w["out"].t()))
    return out
