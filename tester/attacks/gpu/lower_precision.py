# attack: wrong
# expect: refused
"""Multiplies in half precision."""

import torch


def custom_kernel(data):
    a, b, c = data
    c.copy_(torch.mm(a.half(), b.half()))
