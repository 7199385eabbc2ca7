# attack: environment
# expect: no advantage
"""Keeps half a gigabyte allocated, to leave little memory for the reference."""

import torch

kept = torch.ones(1 << 27)


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
