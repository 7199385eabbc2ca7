"""Is traced by TorchScript at the first call."""

import torch

kept = []


def custom_kernel(data):
    if not kept:
        kept.append(torch.jit.trace(lambda a, b: a @ b, data[:2], check_trace=False))
    return kept[0](*data[:2])
