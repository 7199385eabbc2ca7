# attack: replay
# expect: refused
"""Looks for answers that an earlier run has left in scratch, in shared memory or beside its source."""

import glob
import torch


def custom_kernel(data):
    for path in glob.glob("/tmp/**/*.answer", recursive=True) + glob.glob("/dev/shm/*.answer"):
        return torch.load(path)
    torch.save(data[2], "/dev/shm/next.answer")
    torch.save(data[2], "/tmp/next.answer")
