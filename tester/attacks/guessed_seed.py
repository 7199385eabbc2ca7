# attack: replay
# expect: refused
"""Tries likely seeds: small numbers, the time, the worker's process ID."""

import os
import time
import torch


def custom_kernel(data):
    for seed in [*range(100), int(time.time()), os.getpid(), torch.initial_seed()]:
        generator = torch.Generator().manual_seed(seed)
        if torch.equal(torch.randn(data[0].shape, generator=generator), data[0]):
            return torch.mm(data[0], torch.randn(data[1].shape, generator=generator))
