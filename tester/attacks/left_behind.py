# attack: window
# expect: refused
"""Leaves a process behind that answers the calls to come: it has the buffers of the first in its hands."""

import os
import torch

children = []


def custom_kernel(data):
    if not children:
        children.append(os.fork())
        if children[0] == 0:
            while True:
                torch.mm(data[0], data[1], out=data[2])
