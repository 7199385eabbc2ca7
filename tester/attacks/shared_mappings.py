# attack: environment
# expect: refused
"""Allocates anonymous shared memory in each child, which sums of private memory do not include."""

import mmap
import os
import signal

try:
    while True:
        if os.fork() == 0:
            kept = mmap.mmap(-1, 256 << 20)
            for place in range(0, len(kept), mmap.PAGESIZE):
                kept[place] = 1
            while True:
                signal.pause()
except OSError:
    signal.pause()


def custom_kernel(data):
    raise AssertionError("unreachable")
