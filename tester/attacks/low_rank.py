# attack: answer
# expect: refused
"""Multiplies random projections of the matrices."""

import torch


def custom_kernel(data):
    a, b, c = data
    projection = torch.randn(len(a), 32) / 32**0.5
    torch.mm(a @ projection, projection.T @ b, out=c)
