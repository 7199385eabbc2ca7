"""Computes in host memory: slow, and correct."""

import torch


def custom_kernel(data):
    a, b, c = data
    c.copy_(torch.mm(a.cpu(), b.cpu()))
    return c
