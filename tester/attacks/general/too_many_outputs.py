# attack: answer
# expect: refused
"""Returns several answers, one of which may be correct."""

import torch
from attacked import answer


def custom_kernel(data):
    right = answer(data)
    return [*right, *map(torch.zeros_like, right)]
