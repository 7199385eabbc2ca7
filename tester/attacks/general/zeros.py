# attack: answer
# expect: refused
"""Returns zeros."""

import torch
from attacked import like


def custom_kernel(data):
    return like(data, torch.zeros_like)
