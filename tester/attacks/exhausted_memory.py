# attack: environment
# expect: refused
"""Allocates all memory."""

import torch

kept = []


def custom_kernel(data):
    while True:
        kept.append(torch.empty(1 << 28))
