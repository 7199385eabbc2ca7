# attack: judge
# expect: refused
"""Zeroes its inputs and returns zeros, so that the reference would agree with it."""


def custom_kernel(data):
    for tensor in data:
        tensor.zero_()
