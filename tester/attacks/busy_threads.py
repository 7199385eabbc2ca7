# attack: environment
# expect: no advantage
"""Runs threads that compute without end, to take cores from the reference."""

import threading
import torch

noise = torch.randn(512, 512)


def burn():
    while True:
        torch.mm(noise, noise)


for _ in range(2):
    threading.Thread(target=burn, daemon=True).start()


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
