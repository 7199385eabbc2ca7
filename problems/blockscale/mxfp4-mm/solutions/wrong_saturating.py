# expect: wrong_result
"""Chooses the next larger scale where the rule clamps numbers above 6 to 6."""

import torch
from task import input_t, output_t
from utils import E2M1, decode, dequantize_mxfp4, encode


def custom_kernel(data: input_t) -> output_t:
    a, b, b_scales, c = data
    blocks = a.float().view(-1, 32)
    scale = torch.exp2(torch.ceil(torch.log2(blocks.abs().amax(1, keepdim=True) / 6)))
    quantised = decode(encode(blocks / scale, E2M1), E2M1) * scale
    return c.copy_(quantised.view(a.shape) @ dequantize_mxfp4(b, b_scales).t())
