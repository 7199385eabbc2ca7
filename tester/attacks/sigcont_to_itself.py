# attack: clock
# expect: refused
"""A thread sends SIGCONT to the worker, so that it would run while the judge has stopped it, and compute unobserved."""

import os
import signal
import threading
import torch

work = []


def run_on():
    while True:
        try:
            os.kill(os.getpid(), signal.SIGCONT)
        except OSError:
            pass
        for a, b, c in work:
            torch.mm(a, b, out=c)


threading.Thread(target=run_on, daemon=True).start()


def custom_kernel(data):
    work[:] = [data]
