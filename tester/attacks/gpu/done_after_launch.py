# attack: window
# expect: no advantage
"""Signals completion of the order as soon as the kernel is launched."""

import torch

from utils import find, order

native, words = find("native"), find("words")


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
    native.kb_say_done(words, order(words), 0)
