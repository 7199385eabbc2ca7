# expect: wrong_result
"""Writes the scales, but quantises as if they were 1."""

from task import input_t, output_t
from utils import E4M3FN, encode


def custom_kernel(data: input_t) -> output_t:
    x, q, s = data
    groups = x.unflatten(1, (s.shape[1], -1))
    s.copy_(groups.abs().amax(-1) / 448)
    q.copy_(encode(groups, E4M3FN).flatten(1))
    return q, s
