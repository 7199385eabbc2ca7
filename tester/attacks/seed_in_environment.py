# attack: replay
# expect: refused
"""Searches the environment and the command lines of all processes for the seed."""

import glob
import re
import torch


def custom_kernel(data):
    found = ""
    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
        with open(path, errors="replace") as file:
            found += file.read()
    for seed in re.findall(r"\d+", found):
        generator = torch.Generator().manual_seed(int(seed) % 2**63)
        if torch.equal(torch.randn(data[0].shape, generator=generator), data[0]):
            return torch.mm(data[0], torch.randn(data[1].shape, generator=generator))
