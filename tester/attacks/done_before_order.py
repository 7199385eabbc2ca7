# attack: clock
# expect: refused
"""Signals completion of the next order before the judge has given it."""

import time

import torch

from utils import find, order

native, words = find("native"), find("words")


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
    number = order(words)
    native.kb_say_done(words, number, 0)
    # Until the judge has seen the first word, also on a busy machine.
    time.sleep(0.01)
    native.kb_say_done(words, number + 1, 0)
