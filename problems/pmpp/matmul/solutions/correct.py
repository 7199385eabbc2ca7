# expect: passed
"""Adds up outer products of columns of a with rows of b, 16 at a time."""

import torch
from task import input_t, output_t

BLOCK = 16


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    c.zero_()
    for start in range(0, a.shape[1], BLOCK):
        c.addmm_(a[:, start : start + BLOCK], b[start : start + BLOCK])
    return c
