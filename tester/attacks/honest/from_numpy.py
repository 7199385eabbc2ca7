"""Returns a tensor in the memory of a NumPy array."""

import numpy
import torch


def custom_kernel(data):
    return torch.from_numpy(numpy.dot(data[0].numpy(), data[1].numpy()))
