# attack: judge
# expect: refused
"""Gives the pages of the shared memory back to the system, so that the judge would find zeros."""

import ctypes

libc = ctypes.CDLL(None)
MADV_REMOVE = 9


def custom_kernel(data):
    for tensor in data:
        libc.madvise(ctypes.c_void_p(tensor.data_ptr()), ctypes.c_size_t(tensor.numel() * 4 & ~4095), MADV_REMOVE)
