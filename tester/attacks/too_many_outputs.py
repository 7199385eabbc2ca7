# attack: answer
# expect: refused
"""Returns several answers, of which one may be right."""

import torch


def custom_kernel(data):
    return [torch.mm(data[0], data[1]), torch.zeros_like(data[2])]
