# attack: replay
# expect: refused
"""Remembers answers by the identity of the objects that it is called with."""

import torch

known = {}


def custom_kernel(data):
    if id(data) not in known:
        known[id(data)] = (data, torch.mm(data[0], data[1]))
    return known[id(data)][1]
