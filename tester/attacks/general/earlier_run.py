# attack: replay
# expect: refused
"""Looks for answers that an earlier run has left in scratch, in shared memory or beside its source."""

import glob

import torch
from attacked import buffers, returned


def custom_kernel(data):
    for path in glob.glob("/tmp/**/*.answer", recursive=True) + glob.glob("/dev/shm/*.answer"):
        return returned(torch.load(path))
    torch.save(buffers(data), "/dev/shm/next.answer")
    torch.save(buffers(data), "/tmp/next.answer")
