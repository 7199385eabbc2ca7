# attack: answer
# expect: refused
"""Returns a tensor that has a shape and no memory."""

import torch


def custom_kernel(data):
    return torch.empty(data[2].shape, device="meta")
