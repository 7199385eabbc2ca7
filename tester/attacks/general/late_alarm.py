# attack: window
# expect: refused
"""Returns at once and computes in the handler of an alarm."""

import signal

from attacked import work

seen = []
signal.signal(signal.SIGALRM, lambda *_: [work(data) for data in seen])


def custom_kernel(data):
    seen[:] = [data]
    signal.setitimer(signal.ITIMER_REAL, 0.0005)
