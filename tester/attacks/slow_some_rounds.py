# attack: clock
# expect: no advantage over 0.7
"""Sleeps in all calls of three of eight rounds, which the median over the rounds ignores."""

import time

import torch

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    if calls // 8 % 8 < 3:
        time.sleep(0.01)
    torch.mm(data[0], data[1], out=data[2])
