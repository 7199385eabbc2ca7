# attack: clock
# expect: no advantage
"""Is slow at first, so that a round has few calls, and the noise of the measurement is larger."""

import time
import torch

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    if calls < 8:
        time.sleep(0.02)
    torch.mm(data[0], data[1], out=data[2])
