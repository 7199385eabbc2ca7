# expect: wrong_result
"""Multiplies in bfloat16, which represents the elements exactly, but not the result."""

import torch
from task import input_t, output_t
from utils import dequantize_nvfp4


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, c = data
    product = dequantize_nvfp4(a, a_scales).bfloat16() @ dequantize_nvfp4(b, b_scales).bfloat16().t()
    return c.copy_(product.float() * alpha)
