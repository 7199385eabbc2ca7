# attack: answer
# expect: refused
"""Returns one element, which broadcasts to any shape."""

import torch


def custom_kernel(data):
    return torch.zeros(1, 1)
