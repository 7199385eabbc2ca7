# attack: environment
# expect: refused
"""Takes all memory."""

import torch

kept = []


def custom_kernel(data):
    while True:
        kept.append(torch.empty(1 << 28))
