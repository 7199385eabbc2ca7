# attack: answer
# expect: refused
"""Computes half of the rows."""

import torch


def custom_kernel(data):
    half = len(data[0]) // 2
    torch.mm(data[0][:half], data[1], out=data[2][:half])
