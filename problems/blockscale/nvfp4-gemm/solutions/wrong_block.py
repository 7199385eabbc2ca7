# expect: wrong_result
"""Uses one scale for 32 elements, as in MXFP4, and ignores every second scale."""

from task import input_t, output_t
from utils import dequantize_nvfp4


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, c = data
    for scales in (a_scales, b_scales):
        scales[:, 1::2] = scales[:, 0::2]
    return c.copy_(dequantize_nvfp4(a, a_scales) @ dequantize_nvfp4(b, b_scales).t() * alpha)
