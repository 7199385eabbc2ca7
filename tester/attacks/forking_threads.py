# attack: environment
# expect: no advantage
"""Forks from threads without end, so that a fork is in progress whenever the judge ends the processes."""

import os
import signal
import threading
import torch


def fork():
    while True:
        try:
            if os.fork() == 0:
                signal.pause()
        except OSError:
            signal.sigtimedwait([], 0.001)


for _ in range(3):
    threading.Thread(target=fork, daemon=True).start()


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
