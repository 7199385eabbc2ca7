# attack: replay
# expect: refused
"""Keeps answers in a file, to find them in the next call or the next run."""

import os
import torch


def custom_kernel(data):
    path = f"/tmp/answer-{len(data[0])}"
    if not os.path.exists(path):
        torch.save(torch.mm(data[0], data[1]), path)
    return torch.load(path)
