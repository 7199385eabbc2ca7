# attack: judge
# expect: refused
"""Turns an input into the identity and returns the other, in case the reference gets what it left behind."""

import torch


def custom_kernel(data):
    a, b, c = data
    torch.nn.init.eye_(b)
    c.copy_(a)
