# attack: environment
# expect: refused
"""Reads unmapped memory, in case a crash counts as completion."""

import ctypes


def custom_kernel(data):
    ctypes.string_at(0)
