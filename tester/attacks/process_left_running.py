# attack: window
# expect: refused
"""Leaves a process running that computes the next calls in the buffers of the first."""

import os
import torch

children = []


def custom_kernel(data):
    if not children:
        children.append(os.fork())
        if children[0] == 0:
            while True:
                torch.mm(data[0], data[1], out=data[2])
