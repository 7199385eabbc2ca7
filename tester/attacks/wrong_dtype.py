# attack: answer
# expect: refused
"""Returns integers, which compare exactly."""

import torch


def custom_kernel(data):
    return torch.mm(data[0], data[1]).to(torch.int32)
