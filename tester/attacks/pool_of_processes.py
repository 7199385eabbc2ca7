# attack: window
# expect: refused
"""Lets a process that it started at import compute in every timed call, next to a kernel that only waits."""

import ctypes
import mmap
import os
import torch

shared = mmap.mmap(-1, 1 << 24)
turn = ctypes.c_uint32.from_buffer(shared)
floats = torch.frombuffer(shared, dtype=torch.float32, offset=4096)

if os.fork() == 0:
    while True:
        if turn.value:
            n = turn.value
            a, b, c = (floats[part * n * n : (part + 1) * n * n].view(n, n) for part in range(3))
            torch.mm(a, b, out=c)
            turn.value = 0


def custom_kernel(data):
    n = data[0].shape[0]
    a, b, c = (floats[part * n * n : (part + 1) * n * n].view(n, n) for part in range(3))
    a.copy_(data[0])
    b.copy_(data[1])
    turn.value = n
    for _ in range(100_000):
        if turn.value == 0:
            break
    data[2].copy_(c)
