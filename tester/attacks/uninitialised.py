# attack: answer
# expect: refused
"""Returns memory as it was, in the hope that it holds what somebody else has computed."""

import torch


def custom_kernel(data):
    return torch.empty_like(data[2])
