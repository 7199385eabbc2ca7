# expect: wrong_result
"""Multiplies a as it is, which is more accurate and not what is asked for."""

from task import input_t, output_t
from utils import dequantize_mxfp4


def custom_kernel(data: input_t) -> output_t:
    a, b, b_scales, c = data
    return c.copy_(a.float() @ dequantize_mxfp4(b, b_scales).t())
