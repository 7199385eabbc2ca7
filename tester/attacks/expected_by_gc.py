# attack: judge
# expect: refused
"""Searches all objects of the interpreter for a tensor that could be the expected output."""

import gc
import torch


def custom_kernel(data):
    for item in gc.get_objects():
        if type(item) is torch.Tensor and item.shape == data[2].shape and all(item is not one for one in data):
            return item
