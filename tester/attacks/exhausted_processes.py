# attack: environment
# expect: no advantage
"""Starts as many processes as it may, deaf to most signals and with children of their own: the judge may try to end them."""

import os
import torch

try:
    while True:
        os.posix_spawn("/bin/sh", ["sh", "-c", "trap '' HUP INT TERM; while :; do sleep 1; done"], {})
except OSError:
    pass


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
