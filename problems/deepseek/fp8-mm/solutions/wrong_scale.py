# expect: wrong_result
"""Applies the first scale of each row of a to the whole row."""

from task import input_t, output_t
from utils import E4M3FN, decode


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, c = data
    left = decode(a, E4M3FN) * a_scales[:, :1]
    scales = b_scales.repeat_interleave(128, dim=1).repeat_interleave(128, dim=0)
    right = decode(b, E4M3FN) * scales[: b.shape[0]]
    c.copy_(left @ right.t())
    return c
