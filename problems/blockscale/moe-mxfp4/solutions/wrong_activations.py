# expect: wrong_result
"""Quantises the activations to MXFP4 too."""

import torch
import torch.nn.functional as F
from task import input_t, output_t
from utils import dequantize_mxfp4, quantize_mxfp4


def custom_kernel(data: input_t) -> output_t:
    x, experts, weights, gate_up, gate_up_scales, down, down_scales, nsharedexperts, y = data
    x = dequantize_mxfp4(*quantize_mxfp4(x))
    total = torch.zeros_like(x)
    routed = len(down) - nsharedexperts
    for e in range(len(down)):
        weight = (weights * (experts == e)).sum(1, keepdim=True) if e < routed else torch.ones_like(x[:, :1])
        gate, up = (x @ dequantize_mxfp4(gate_up[e], gate_up_scales[e]).t()).chunk(2, dim=1)
        total += weight * ((F.silu(gate) * up) @ dequantize_mxfp4(down[e], down_scales[e]).t())
    return y.copy_(total)
