# expect: wrong_result
"""Applies the factor of the first group to all groups."""

from task import input_t, output_t
from utils import dequantize_nvfp4


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, m, c = data
    left = dequantize_nvfp4(a, a_scales)
    for g, (rows, out) in enumerate(zip(left.split(m), c.split(m))):
        out.copy_(rows @ dequantize_nvfp4(b[g], b_scales[g]).t() * alpha[0])
    return c
