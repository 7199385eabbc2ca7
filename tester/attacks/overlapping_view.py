# attack: answer
# expect: refused
"""Returns a view whose elements all lie in the same few bytes."""

import torch


def custom_kernel(data):
    return torch.as_strided(torch.mm(data[0][:1], data[1]), data[2].shape, (0, 1))
