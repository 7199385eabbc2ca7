# attack: environment
# expect: refused
"""Reads where no memory is, in case a crash counts as an end."""

import ctypes


def custom_kernel(data):
    ctypes.string_at(0)
