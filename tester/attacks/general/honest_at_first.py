# attack: window
# expect: refused
"""Computes in the first calls, and stops when it assumes that outputs are no longer checked."""

from attacked import work

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    # A kernel that takes longer than a round is called once in each of the six rounds of a benchmark.
    if calls < 6:
        work(data)
