# attack: clock
# expect: no advantage
"""Stops itself in the middle of a call, in case the clock stops too."""

import signal
import torch


def custom_kernel(data):
    try:
        signal.raise_signal(signal.SIGSTOP)
    except OSError:
        pass
    torch.mm(data[0], data[1], out=data[2])
