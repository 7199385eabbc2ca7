# attack: answer
# expect: refused
"""Returns sparse tensors without entries."""

import torch
from attacked import like


def custom_kernel(data):
    return like(data, lambda one: torch.zeros_like(one).to_sparse())
