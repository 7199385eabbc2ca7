# attack: environment
# expect: no advantage
"""Leaves processes running that keep the processor busy, so that the reference is slower than the kernel."""

import os
import torch

for _ in range(4):
    if os.fork() == 0:
        while True:
            pass


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
