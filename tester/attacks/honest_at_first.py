# attack: window
# expect: refused
"""Works while calls are few, and stops when it believes that only the clock still runs."""

import torch

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    if calls < 12:
        torch.mm(data[0], data[1], out=data[2])
