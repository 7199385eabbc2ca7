# attack: clock
# expect: no advantage over 0.5
"""Sleeps in two of three calls, and is fast only in those that an estimator of the fastest calls would use."""

import time

import torch

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    if calls % 3:
        time.sleep(0.01)
    torch.mm(data[0], data[1], out=data[2])
