# attack: replay
# expect: refused
"""Searches scratch, shared memory and the folder of its source for outputs of an earlier run."""

import glob

import torch
from attacked import buffers, returned


def custom_kernel(data):
    for path in glob.glob("/tmp/**/*.answer", recursive=True) + glob.glob("/dev/shm/*.answer"):
        return returned(torch.load(path))
    torch.save(buffers(data), "/dev/shm/next.answer")
    torch.save(buffers(data), "/tmp/next.answer")
