# attack: replay
# expect: refused
"""Remembers answers by a fingerprint that is cheap and rough: the shape and one sign."""

import torch

known = {}


def custom_kernel(data):
    key = (data[0].shape, bool(data[0][0, 0] > 0))
    if key not in known:
        known[key] = torch.mm(data[0], data[1])
    return known[key]
