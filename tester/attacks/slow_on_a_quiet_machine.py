# attack: clock
# expect: no advantage over 0.7
"""Sleeps where the machine is quiet and the reference is fast, so that the other rounds decide its speedup."""

import statistics
import time

import torch

seen = []


def probe():
    """Returns how long a little work takes, by which the machine shows how busy it is."""
    start = time.perf_counter()
    sum(range(2000))
    return time.perf_counter() - start


def custom_kernel(data):
    seen.append(probe())
    if seen[-1] <= statistics.median(seen):
        time.sleep(0.01)
    torch.mm(data[0], data[1], out=data[2])
