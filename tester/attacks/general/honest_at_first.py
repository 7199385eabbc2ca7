# attack: window
# expect: refused
"""Computes in the first calls, and stops when it assumes that outputs are no longer checked."""

from attacked import work

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    if calls < 12:
        work(data)
