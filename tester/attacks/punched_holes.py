# attack: judge
# expect: refused
"""Frees the pages of the shared memory, so that the judge would read zeros."""

import ctypes

libc = ctypes.CDLL(None)
MADV_REMOVE = 9


def custom_kernel(data):
    for tensor in data:
        libc.madvise(ctypes.c_void_p(tensor.data_ptr()), ctypes.c_size_t(tensor.numel() * 4 & ~4095), MADV_REMOVE)
