# attack: answer
# expect: refused
"""Returns ones."""

import torch
from attacked import like


def custom_kernel(data):
    return like(data, torch.ones_like)
