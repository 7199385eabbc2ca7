# attack: clock
# expect: refused
"""Signals completion of the current order, and computes afterwards."""

import torch

from utils import find, order

native, words = find("native"), find("words")


def custom_kernel(data):
    native.kb_say_done(words, order(words), 0)
    torch.mm(data[0], data[1], out=data[2])
