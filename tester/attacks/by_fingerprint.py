# attack: replay
# expect: no advantage
"""Remembers answers by what the input holds, in case the same input comes again."""

import torch

known = {}


def custom_kernel(data):
    key = (data[0][0].numpy().tobytes(), data[1][0].numpy().tobytes())
    if key not in known:
        known[key] = torch.mm(data[0], data[1])
    return known[key]
