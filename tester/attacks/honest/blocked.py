"""Multiplies block by block."""

import torch

BLOCK = 64


def custom_kernel(data):
    a, b, c = data
    c.zero_()
    for start in range(0, len(a), BLOCK):
        c.addmm_(a[:, start : start + BLOCK], b[start : start + BLOCK])
