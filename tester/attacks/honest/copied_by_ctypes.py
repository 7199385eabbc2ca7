"""Copies its result with a function of the C library."""

import ctypes

libc = ctypes.CDLL(None)
libc.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


def custom_kernel(data):
    result = data[0] @ data[1]
    libc.memcpy(data[2].data_ptr(), result.data_ptr(), result.numel() * 4)
