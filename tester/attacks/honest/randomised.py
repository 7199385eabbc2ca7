"""Draws random numbers and computes the rows in a random order."""

import random
import torch


def custom_kernel(data):
    a, b, c = data
    parts = list(range(0, len(a), 64))
    random.shuffle(parts)
    for start in parts:
        torch.mm(a[start : start + 64], b, out=c[start : start + 64])
    return c
