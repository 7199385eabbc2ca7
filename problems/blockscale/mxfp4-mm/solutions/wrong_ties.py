# expect: wrong_result
"""Rounds ties up, not to the even code."""

import torch
from task import input_t, output_t
from utils import dequantize_mxfp4

NUMBERS = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])


def custom_kernel(data: input_t) -> output_t:
    a, b, b_scales, c = data
    blocks = a.float().view(-1, 32)
    scale = torch.exp2(torch.floor(torch.log2(blocks.abs().amax(1, keepdim=True))) - 2)
    code = torch.bucketize(blocks.abs() / scale, (NUMBERS[:-1] + NUMBERS[1:]) / 2, right=True)
    quantised = NUMBERS[code] * blocks.sign() * scale
    return c.copy_(quantised.view(a.shape) @ dequantize_mxfp4(b, b_scales).t())
