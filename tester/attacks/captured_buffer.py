# attack: replay
# expect: refused
"""Writes to the output buffer that the third call of a shape had, as a graph that is captured after two calls to warm up
does."""

import torch

captured = {}


def custom_kernel(data):
    a, b, c = data
    calls = captured.setdefault(c.shape, [])
    if len(calls) < 3:
        calls.append(c)
    torch.mm(a, b, out=calls[-1] if len(calls) == 3 else c)
