# attack: answer
# expect: refused
"""Computes half of the rows of each output."""

from attacked import answer, buffers, rows


def custom_kernel(data):
    for buffer, right in zip(buffers(data), answer(data)):
        half = len(rows(right)) // 2
        rows(buffer)[:half] = rows(right)[:half]
