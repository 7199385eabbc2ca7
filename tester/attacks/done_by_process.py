# attack: report
# expect: refused
"""Starts a process that signals completion of all orders, while the kernel takes any time it wants."""

import os
import time
import torch

from utils import find

native, words = find("native"), find("words")


def custom_kernel(data):
    try:
        if os.fork() == 0:
            while True:
                for number in range(200):
                    native.kb_say_done(words, number, 0)
    except PermissionError:
        pass
    time.sleep(0.3)
    torch.mm(data[0], data[1], out=data[2])
