# attack: judge
# expect: refused
"""Unmaps the page that it shares with the judge."""

import ctypes

from utils import find

words = find("words")


def custom_kernel(data):
    ctypes.CDLL(None).munmap(ctypes.c_void_p(words), ctypes.c_size_t(4096))
