# attack: replay
# expect: refused
"""Writes the upper half of the outputs and relies on an earlier call for the lower half."""

from attacked import answer, buffers, rows

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    for buffer, right in zip(buffers(data), answer(data)):
        written = len(rows(right)) // 2 if calls > 3 else len(rows(right))
        rows(buffer)[:written] = rows(right)[:written]
