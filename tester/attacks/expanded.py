# attack: answer
# expect: refused
"""Returns one row, seen as all rows."""

import torch


def custom_kernel(data):
    return torch.mm(data[0][:1], data[1]).expand(data[2].shape)
