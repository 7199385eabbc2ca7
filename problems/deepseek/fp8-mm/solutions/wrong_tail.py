# expect: wrong_result
"""Multiplies only whole blocks of 128 rows of b, if there is one; the remaining rows are zero."""

from task import input_t, output_t
from utils import E4M3FN, decode


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, c = data
    left = decode(a, E4M3FN) * a_scales.repeat_interleave(128, dim=1)
    scales = b_scales.repeat_interleave(128, dim=1).repeat_interleave(128, dim=0)
    right = decode(b, E4M3FN) * scales[: b.shape[0]]
    whole = max(128, b.shape[0] // 128 * 128)
    c.zero_()
    c[:, :whole] = left @ right[:whole].t()
    return c
