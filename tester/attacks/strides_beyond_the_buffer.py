# attack: judge
# expect: refused
"""Writes past the end of its buffer through a view that is larger than the buffer."""

import ctypes
import torch


def custom_kernel(data):
    memory = (ctypes.c_float * (1 << 24)).from_address(data[2].data_ptr())
    torch.frombuffer(memory, dtype=torch.float32).fill_(0)
