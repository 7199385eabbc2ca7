"""Disables the garbage collector during its calls."""

import gc
import torch

gc.disable()
gc.collect()


def custom_kernel(data):
    result = torch.mm(data[0], data[1])
    gc.collect(0)
    return result
