# attack: answer
# expect: refused
"""Returns infinity, which is within any relative tolerance of itself; ones where outputs are integers."""

import torch
from attacked import like


def custom_kernel(data):
    return like(data, lambda one: torch.full_like(one, float("inf") if one.is_floating_point() else 1))
