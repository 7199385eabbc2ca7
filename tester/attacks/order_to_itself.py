# attack: clock
# expect: refused
"""Gives itself the next order in the judge's name, to be ahead of the clock."""

import ctypes
import torch

from utils import find, order

words = find("words")


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
    ctypes.c_uint32.from_address(words).value = order(words) + 1
