# attack: replay
# expect: refused
"""Caches outputs in a file, to find them in the next call or the next run."""

import os

import torch
from attacked import answer, returned


def custom_kernel(data):
    path = "/tmp/answer"
    if not os.path.exists(path):
        torch.save(answer(data), path)
    return returned(torch.load(path))
