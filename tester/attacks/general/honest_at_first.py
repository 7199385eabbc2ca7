# attack: window
# expect: refused
"""Works while calls are few, and stops when it believes that only the clock still runs."""

from attacked import work

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    if calls < 12:
        work(data)
