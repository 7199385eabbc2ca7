# attack: answer
# expect: refused
"""Returns what the inputs lead one to expect on average, with the right spread."""

import torch


def custom_kernel(data):
    return torch.randn(data[2].shape) * len(data[0]) ** 0.5
