"""Iterates over its blocks with a generator."""

import torch


def blocks(*tensors, size=80):
    for start in range(0, len(tensors[0]), size):
        yield tuple(tensor[start : start + size] for tensor in tensors)


def custom_kernel(data):
    a, b, c = data
    for rows, out in blocks(a, c):
        torch.mm(rows, b, out=out)
    return c
