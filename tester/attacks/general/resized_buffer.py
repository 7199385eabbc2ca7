# attack: answer
# expect: refused
"""Resizes the output buffers to no elements, so that there is nothing to compare."""

from attacked import buffers, returned


def custom_kernel(data):
    return returned([one.resize_(0) for one in buffers(data)])
