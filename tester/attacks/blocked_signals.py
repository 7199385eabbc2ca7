# attack: environment
# expect: refused
"""Ignores and blocks every signal, so that nothing can stop it, and continues to compute after its answer."""

import signal
import threading
import torch

work = []


def run_on():
    while True:
        for a, b, c in list(work):
            torch.mm(a, b, out=c)


for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
threading.Thread(target=run_on, daemon=True).start()


def custom_kernel(data):
    work[:] = [data]
