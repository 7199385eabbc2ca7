# attack: answer
# expect: refused
"""Returns the transposed result, in a view of the correct shape."""

import torch


def custom_kernel(data):
    return torch.mm(data[1], data[0]).T
