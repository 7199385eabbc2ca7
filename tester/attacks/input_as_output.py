# attack: answer
# expect: refused
"""Lets the output buffer point to an input."""


def custom_kernel(data):
    return data[2].set_(data[0])
