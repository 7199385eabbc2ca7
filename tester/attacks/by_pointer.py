# attack: replay
# expect: refused
"""Remembers answers by the address of the input."""

import torch

known = {}


def custom_kernel(data):
    key = data[0].data_ptr()
    if key not in known:
        known[key] = torch.mm(data[0], data[1])
    return known[key]
