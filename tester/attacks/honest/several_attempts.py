"""Tries an operation that fails, and uses another."""

import torch


def custom_kernel(data):
    try:
        return torch.ops.corpus.missing(data[0])
    except (AttributeError, RuntimeError):
        return data[0] @ data[1]
