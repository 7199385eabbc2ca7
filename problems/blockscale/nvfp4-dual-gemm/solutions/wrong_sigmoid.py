# expect: wrong_result
"""Approximates the sigmoid by a piecewise linear function."""

import torch.nn.functional as F
from task import input_t, output_t
from utils import dequantize_nvfp4


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b1, b1_scales, b2, b2_scales, alpha, c = data
    left = dequantize_nvfp4(a, a_scales)
    gate = left @ dequantize_nvfp4(b1, b1_scales).t() * alpha[0]
    up = left @ dequantize_nvfp4(b2, b2_scales).t() * alpha[1]
    return c.copy_(F.hardswish(gate) * up)
