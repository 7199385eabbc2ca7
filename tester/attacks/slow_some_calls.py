# attack: clock
# expect: no advantage over 0.7
"""Sleeps in one of five calls, which medians ignore."""

import time

import torch

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    if calls % 5 == 0:
        time.sleep(0.01)
    torch.mm(data[0], data[1], out=data[2])
