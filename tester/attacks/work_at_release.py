# attack: window
# expect: no advantage
"""Computes in the handler of SIGCONT, which releases it, before the kernel is called."""

import signal
import torch

seen = []
ready = []


def work(number, frame):
    for data in seen:
        ready[:] = [(data, torch.mm(data[0], data[1]))]


signal.signal(signal.SIGCONT, work)


def custom_kernel(data):
    early = ready.pop() if ready else (None, None)
    seen[:] = [data]
    return early[1] if early[0] is data else torch.mm(data[0], data[1])
