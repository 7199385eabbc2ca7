# expect: wrong_result
"""Multiplies every matrix by the first vector."""

import torch
from task import input_t, output_t
from utils import dequantize_nvfp4


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, c = data
    vector = dequantize_nvfp4(b, b_scales)[0]
    return c.copy_((dequantize_nvfp4(a, a_scales) @ vector) * alpha.unsqueeze(-1))
