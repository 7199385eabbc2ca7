# expect: wrong_result
"""Rounds the operands of all products to bfloat16; sums and normalisations are in float32."""

import torch
import torch.nn.functional as F
from task import input_t, output_t


def low(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.bfloat16).to(torch.float32)


def custom_kernel(data: input_t) -> output_t:
    z, mask, w, out = data
    x = low(F.layer_norm(z, z.shape[-1:], w["norm_scale"], w["norm_bias"]))
    a = F.linear(x, low(w["a"])) * F.linear(x, low(w["a_gate"])).sigmoid()
    b = F.linear(x, low(w["b"])) * F.linear(x, low(w["b_gate"])).sigmoid()
    if mask is not None:
        a, b = a * mask[..., None], b * mask[..., None]
    sums = torch.einsum("bikc,bjkc->bijc", low(a), low(b))
    sums = F.layer_norm(sums, sums.shape[-1:], w["sum_scale"], w["sum_bias"])
    out.copy_(F.linear(x, low(w["out_gate"])).sigmoid() * F.linear(low(sums), low(w["out"])))
    return out
