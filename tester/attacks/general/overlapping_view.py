# attack: answer
# expect: refused
"""Makes the buffers views whose elements all share the same few bytes, and writes there."""

import torch
from attacked import buffers, returned


def custom_kernel(data):
    views = [torch.as_strided(one, one.shape, (0,) * one.dim()) for one in buffers(data)]
    for one in views:
        one.reshape(-1)[:1].zero_()
    return returned(views)
