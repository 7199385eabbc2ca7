# attack: answer
# expect: refused
"""Returns NaN, with which no comparison is true; ones where outputs are integers."""

import torch
from attacked import like


def custom_kernel(data):
    return like(data, lambda one: torch.full_like(one, float("nan") if one.is_floating_point() else 1))
