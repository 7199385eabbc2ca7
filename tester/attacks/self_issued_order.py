# attack: clock
# expect: refused
"""Writes the next order into the channel itself, to start before the clock."""

import ctypes
import torch

from utils import find, order

words = find("words")


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
    ctypes.c_uint32.from_address(words).value = order(words) + 1
