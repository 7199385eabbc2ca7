# attack: environment
# expect: no advantage
"""Reads and writes much memory after its work, so that the reference starts with cold caches."""

import threading
import torch

noise = torch.ones(1 << 24)
go = threading.Event()


def sweep():
    while True:
        go.wait()
        go.clear()
        noise.add_(1.0)


threading.Thread(target=sweep, daemon=True).start()


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
    go.set()
