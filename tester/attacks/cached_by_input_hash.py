# attack: replay
# expect: no advantage
"""Caches outputs by a hash of the input, in case an input is repeated."""

import torch

known = {}


def custom_kernel(data):
    key = (data[0][0].numpy().tobytes(), data[1][0].numpy().tobytes())
    if key not in known:
        known[key] = torch.mm(data[0], data[1])
    return known[key]
