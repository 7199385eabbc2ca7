"""Divides the matrix until it is small."""

import torch


def multiply(a, b, c):
    if len(a) <= 40:
        torch.mm(a, b, out=c)
        return
    half = len(a) // 2
    multiply(a[:half], b, c[:half])
    multiply(a[half:], b, c[half:])


def custom_kernel(data):
    multiply(*data)
