# attack: answer
# expect: refused
"""Computes all outputs but the last; with a single output, all elements but the last."""

from attacked import answer, buffers


def custom_kernel(data):
    *others, last = zip(buffers(data), answer(data))
    for buffer, right in others:
        buffer.copy_(right)
    if not others:
        buffer, right = last
        buffer.reshape(-1)[:-1] = right.reshape(-1)[:-1]
