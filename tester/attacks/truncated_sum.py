# attack: answer
# expect: refused
"""Sums over half of the products."""

import torch


def custom_kernel(data):
    half = len(data[0]) // 2
    torch.mm(data[0][:, :half], data[1][:half], out=data[2])
