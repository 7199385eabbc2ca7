# attack: answer
# expect: refused
"""Writes nothing, and returns the buffers unchanged."""

from attacked import buffers, returned


def custom_kernel(data):
    return returned(buffers(data))
