"""Is a partially applied function."""

import functools
import torch


def multiply(function, data):
    return function(data[0], data[1])


custom_kernel = functools.partial(multiply, torch.mm)
