"""Passes its settings in a context variable."""

import contextvars
import torch

block = contextvars.ContextVar("block", default=32)


def custom_kernel(data):
    a, b, c = data
    token = block.set(len(a))
    try:
        for start in range(0, len(a), block.get()):
            torch.mm(a[start : start + block.get()], b, out=c[start : start + block.get()])
    finally:
        block.reset(token)
