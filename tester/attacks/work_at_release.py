# attack: window
# expect: no advantage
"""Computes in the handler of SIGCONT, which releases it, before the kernel is called."""

import signal
import torch

seen = []
ready = []


def work(number, frame):
    for a, b, c in seen:
        torch.mm(a, b, out=c)
        ready[:] = [a]


signal.signal(signal.SIGCONT, work)


def custom_kernel(data):
    if not (seen and ready and data is seen[0] and ready.pop() is data[0]):
        torch.mm(data[0], data[1], out=data[2])
    seen[:] = [data]
