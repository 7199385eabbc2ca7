# attack: judge
# expect: refused
"""Zeroes every tensor of the interpreter, including any copies of the judge, and returns zeros."""

import gc
import torch


def custom_kernel(data):
    for item in gc.get_objects():
        if type(item) is torch.Tensor:
            item.zero_()
