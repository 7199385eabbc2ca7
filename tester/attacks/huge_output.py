# attack: answer
# expect: refused
"""Returns a tensor that claims to have a trillion elements."""

import torch


def custom_kernel(data):
    return torch.zeros(1).expand(1 << 40)
