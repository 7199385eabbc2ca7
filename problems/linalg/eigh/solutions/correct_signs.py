# expect: passed
"""Turns every eigenvector so that its largest element is positive."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, w, v = data
    torch.linalg.eigh(a, out=(w, v))
    largest = v.gather(1, v.abs().argmax(1, keepdim=True))
    v.mul_(largest.sign())
    return w, v
