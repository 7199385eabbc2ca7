# attack: judge
# expect: refused
"""Frees the pages of the shared memory, so that the judge would read zeros."""

import ctypes

libc = ctypes.CDLL(None)
MADV_REMOVE = 9


def custom_kernel(data):
    for tensor in data:
        start = -(-tensor.data_ptr() // 4096) * 4096
        size = (tensor.data_ptr() + tensor.numel() * 4 - start) & ~4095
        if size > 0:
            assert libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), MADV_REMOVE) == 0
