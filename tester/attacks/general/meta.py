# attack: answer
# expect: refused
"""Returns tensors that have a shape and no memory."""

import torch
from attacked import like


def custom_kernel(data):
    return like(data, lambda one: torch.empty_like(one, device="meta"))
