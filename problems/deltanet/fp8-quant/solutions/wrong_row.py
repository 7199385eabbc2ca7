# expect: wrong_result
"""Uses one scale for all groups of a row."""

from task import input_t, output_t
from utils import E4M3FN, encode


def custom_kernel(data: input_t) -> output_t:
    x, q, s = data
    groups = x.unflatten(1, (s.shape[1], -1))
    s.copy_(groups.abs().amax((1, 2))[:, None] / 448)
    q.copy_(encode(groups / s[..., None], E4M3FN).flatten(1))
    return q, s
