# attack: judge
# expect: refused
"""Replaces len, isinstance and zip, by which the shape of an output is checked."""

import builtins
import torch

builtins.isinstance = lambda *_: True
builtins.zip = lambda *_, **__: []


def custom_kernel(data):
    return torch.zeros(1)
