# attack: answer
# expect: refused
"""Returns a sparse tensor without entries."""

import torch


def custom_kernel(data):
    return torch.zeros(data[2].shape).to_sparse()
