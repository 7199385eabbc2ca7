# attack: answer
# expect: refused
"""Returns a tensor without elements, none of which is wrong."""

import torch


def custom_kernel(data):
    return torch.empty(0)
