# attack: judge
# expect: refused
"""Writes far outside its output, over the memory before and after it."""

import ctypes


def custom_kernel(data):
    size = data[2].numel() * 4
    for distance in range(0, 1 << 30, size):
        ctypes.memset(data[2].data_ptr() - distance, 0, size)
        ctypes.memset(data[2].data_ptr() + distance, 0, size)
