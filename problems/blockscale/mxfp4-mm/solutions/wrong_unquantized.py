# expect: wrong_result
"""Multiplies a without quantising it: more accurate than the defined result, and different from it."""

from task import input_t, output_t
from utils import dequantize_mxfp4


def custom_kernel(data: input_t) -> output_t:
    a, b, b_scales, c = data
    return c.copy_(a.float() @ dequantize_mxfp4(b, b_scales).t())
