# attack: answer
# expect: refused
"""Returns zeros."""

import torch


def custom_kernel(data):
    return torch.zeros_like(data[2])
