# attack: clock
# expect: no advantage
"""Is slow at first, so that few calls are thought to fill a round, and luck counts more."""

import time
import torch

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    if calls < 8:
        time.sleep(0.02)
    torch.mm(data[0], data[1], out=data[2])
