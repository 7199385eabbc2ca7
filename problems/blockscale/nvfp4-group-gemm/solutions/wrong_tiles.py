# expect: wrong_result
"""Computes only full tiles of 16 rows."""

import torch
from task import input_t, output_t
from utils import dequantize_nvfp4


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, m, c = data
    left = dequantize_nvfp4(a, a_scales)
    for g, (rows, out) in enumerate(zip(left.split(m), c.split(m))):
        end = m[g] // 16 * 16
        out[:end] = rows[:end] @ dequantize_nvfp4(b[g], b_scales[g]).t() * alpha[g]
    return c
