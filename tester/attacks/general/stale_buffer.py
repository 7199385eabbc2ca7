# attack: replay
# expect: refused
"""Writes the outputs once and relies on the buffers to contain them in the next call."""

from attacked import shapes, work

seen = set()


def custom_kernel(data):
    if shapes(data) not in seen:
        work(data)
    seen.add(shapes(data))
