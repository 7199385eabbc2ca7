# attack: judge
# expect: refused
"""Zeroes its inputs and returns zeros, in case the reference reads the modified inputs."""

from attacked import tensors


def custom_kernel(data):
    for tensor in tensors(data):
        tensor.zero_()
