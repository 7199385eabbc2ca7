# attack: environment
# expect: no advantage
"""Fills its scratch folder to exhaust the disk."""

import torch


def fill(path):
    try:
        with open(path, "wb", buffering=0) as file:
            while file.write(bytes(1 << 22)):
                pass
    except OSError:
        pass


fill("/tmp/full")


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
