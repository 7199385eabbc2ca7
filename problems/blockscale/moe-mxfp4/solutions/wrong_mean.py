# expect: wrong_result
"""Computes the mean of the outputs of a token's experts instead of their weighted sum."""

import torch
import torch.nn.functional as F
from task import input_t, output_t
from utils import dequantize_mxfp4


def custom_kernel(data: input_t) -> output_t:
    x, experts, weights, gate_up, gate_up_scales, down, down_scales, nsharedexperts, y = data
    x = x.float()
    total = torch.zeros_like(x)
    routed = len(down) - nsharedexperts
    for e in range(len(down)):
        weight = (experts == e).sum(1, keepdim=True) * 2.5 / experts.shape[1] if e < routed else 1
        gate, up = (x @ dequantize_mxfp4(gate_up[e], gate_up_scales[e]).t()).chunk(2, dim=1)
        total += weight * ((F.silu(gate) * up) @ dequantize_mxfp4(down[e], down_scales[e]).t())
    return y.copy_(total)
