# attack: answer
# expect: refused
"""Returns the numbers of another question, in a view that has the right shape."""

import torch


def custom_kernel(data):
    return torch.mm(data[1], data[0]).T
