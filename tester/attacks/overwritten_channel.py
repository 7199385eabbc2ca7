# attack: clock
# expect: refused
"""Overwrites the whole page that worker and judge share."""

import ctypes

from utils import find

words = find("words")


def custom_kernel(data):
    ctypes.memset(words, 0xFF, 4096)
