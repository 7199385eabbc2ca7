# expect: wrong_result
"""Computes in bfloat16, which keeps 8 of the 24 significant bits of float32."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    z = x.to(torch.bfloat16)
    y.copy_(z * torch.rsqrt(z.square().mean(1, keepdim=True) + 1e-6) * w.to(torch.bfloat16))
    return y
