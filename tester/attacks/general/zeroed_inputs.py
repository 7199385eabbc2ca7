# attack: judge
# expect: refused
"""Zeroes its inputs and returns zeros, so that the reference would agree with it."""

from attacked import tensors


def custom_kernel(data):
    for tensor in tensors(data):
        tensor.zero_()
