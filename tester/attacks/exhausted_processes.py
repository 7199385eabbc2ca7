# attack: environment
# expect: no advantage
"""Starts as many processes as it can, which ignore most signals and have children, so that they are hard to kill."""

import os
import torch

try:
    while True:
        os.posix_spawn("/bin/sh", ["sh", "-c", "trap '' HUP INT TERM; while :; do sleep 1; done"], {})
except OSError:
    pass


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
