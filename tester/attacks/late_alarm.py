# attack: window
# expect: refused
"""Returns at once and works when an alarm rings."""

import signal
import torch

seen = []
signal.signal(signal.SIGALRM, lambda *_: [torch.mm(a, b, out=c) for a, b, c in seen])


def custom_kernel(data):
    seen[:] = [data]
    signal.setitimer(signal.ITIMER_REAL, 0.0005)
