# attack: environment
# expect: no advantage
"""Starts as many threads as it can, so that stopping them takes the judge long."""

import threading
import torch

threads = []
try:
    while len(threads) < 400:
        threads.append(threading.Thread(target=threading.Event().wait, daemon=True))
        threads[-1].start()
except RuntimeError:
    pass


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
