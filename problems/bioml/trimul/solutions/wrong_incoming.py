# expect: wrong_result
"""Sums over incoming edges, as the related update of algorithm 12 does."""

import torch
import torch.nn.functional as F
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    z, mask, w, out = data
    x = F.layer_norm(z, z.shape[-1:], w["norm_scale"], w["norm_bias"])
    a = F.linear(x, w["a"]) * F.linear(x, w["a_gate"]).sigmoid()
    b = F.linear(x, w["b"]) * F.linear(x, w["b_gate"]).sigmoid()
    if mask is not None:
        a, b = a * mask[..., None], b * mask[..., None]
    sums = torch.einsum("bkic,bkjc->bijc", a, b)
    sums = F.layer_norm(sums, sums.shape[-1:], w["sum_scale"], w["sum_bias"])
    out.copy_(F.linear(x, w["out_gate"]).sigmoid() * F.linear(sums, w["out"]))
    return out
