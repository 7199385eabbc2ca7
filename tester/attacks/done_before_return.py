# attack: clock
# expect: no advantage
"""Signals completion itself once the output is computed, to save the way back through the worker."""

import torch

from utils import find, order

native, words = find("native"), find("words")


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
    native.kb_say_done(words, order(words), 0)
