# attack: answer
# expect: refused
"""Returns uninitialised memory, in case it contains the result of another process."""

import torch
from attacked import like


def custom_kernel(data):
    return like(data, torch.empty_like)
