# attack: judge
# expect: refused
"""Reaches over the end of its buffer by a view that is larger than it."""

import ctypes
import torch


def custom_kernel(data):
    memory = (ctypes.c_float * (1 << 24)).from_address(data[2].data_ptr())
    torch.frombuffer(memory, dtype=torch.float32).fill_(0)
