# attack: replay
# expect: refused
"""Caches outputs in shared memory, to find them in the next call."""

import os

import torch
from attacked import answer, returned

PATH = f"/dev/shm/answer-{os.getpid()}"


def custom_kernel(data):
    if not os.path.exists(PATH):
        torch.save(answer(data), PATH)
    return returned(torch.load(PATH))
