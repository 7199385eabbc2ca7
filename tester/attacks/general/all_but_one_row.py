# attack: answer
# expect: refused
"""Omits the last row of each output, in case only samples are checked."""

from attacked import answer, buffers, rows


def custom_kernel(data):
    for buffer, right in zip(buffers(data), answer(data)):
        rows(buffer)[:-1] = rows(right)[:-1]
