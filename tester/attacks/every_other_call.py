# attack: window
# expect: refused
"""Leaves out every other call, in case not every timed output is checked."""

import torch

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    if calls % 2:
        torch.mm(data[0], data[1], out=data[2])
