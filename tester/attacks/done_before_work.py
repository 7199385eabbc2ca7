# attack: clock
# expect: refused
"""Says that the order under way is done, and works afterwards."""

import torch

from utils import find, order

native, words = find("native"), find("words")


def custom_kernel(data):
    native.kb_say_done(words, order(words), 0)
    torch.mm(data[0], data[1], out=data[2])
