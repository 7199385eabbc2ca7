# expect: wrong_result
"""Assumes that all groups have the mean number of rows."""

import torch
from task import input_t, output_t
from utils import dequantize_nvfp4


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, m, c = data
    height = -(-c.shape[0] // len(m))
    left = dequantize_nvfp4(a, a_scales)
    for g, (rows, out) in enumerate(zip(left.split(height), c.split(height))):
        out.copy_(rows @ dequantize_nvfp4(b[g], b_scales[g]).t() * alpha[g])
    return c
