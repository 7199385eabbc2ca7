# attack: answer
# expect: refused
"""Returns memory as it was, in the hope that it holds what somebody else has computed."""

import torch
from attacked import like


def custom_kernel(data):
    return like(data, torch.empty_like)
