"""Caches functions that are specialised for a shape."""

import functools
import torch


@functools.lru_cache(maxsize=None)
def specialised(size):
    half = size // 2
    def multiply(a, b, c):
        torch.mm(a[:half], b, out=c[:half])
        torch.mm(a[half:], b, out=c[half:])
    return multiply


def custom_kernel(data):
    specialised(len(data[0]))(*data)
