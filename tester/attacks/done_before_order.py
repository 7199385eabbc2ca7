# attack: clock
# expect: refused
"""Signals completion of the next order before the judge has given it."""

import torch

from utils import find, order

native, words = find("native"), find("words")


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
    native.kb_say_done(words, order(words), 0)
    native.kb_say_done(words, order(words) + 1, 0)
