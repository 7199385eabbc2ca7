# attack: judge
# expect: refused
"""Writes to its own memory through /proc, which ignores page protection."""

import torch


def custom_kernel(data):
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(data[2].data_ptr())
        memory.write(torch.mm(data[0], data[1]).numpy().tobytes())
