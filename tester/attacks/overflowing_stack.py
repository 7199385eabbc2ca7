# attack: environment
# expect: refused
"""Calls itself until the stack overflows."""

import sys

sys.setrecursionlimit(1 << 30)


def custom_kernel(data):
    return list(map(custom_kernel, [data]))
