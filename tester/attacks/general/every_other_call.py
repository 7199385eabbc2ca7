# attack: window
# expect: refused
"""Skips every other call, in case not every timed output is checked."""

from attacked import work

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    if calls % 2:
        work(data)
