# attack: answer
# expect: refused
"""Returns several answers, of which one may be right."""

import torch
from attacked import answer


def custom_kernel(data):
    right = answer(data)
    return [*right, *map(torch.zeros_like, right)]
