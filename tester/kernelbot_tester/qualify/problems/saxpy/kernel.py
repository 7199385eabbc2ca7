"""The same computation as the reference: a measured difference between the two is noise of the machine."""

import torch


def custom_kernel(data):
    x, y, result = data
    return torch.add(y, x, alpha=2.5, out=result)
