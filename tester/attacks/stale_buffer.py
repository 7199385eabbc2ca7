# attack: replay
# expect: refused
"""Writes the output once and trusts that the buffer still holds it in the next call."""

import torch

calls = {}


def custom_kernel(data):
    key = len(data[0])
    calls[key] = calls.get(key, 0) + 1
    if calls[key] == 1:
        torch.mm(data[0], data[1], out=data[2])
