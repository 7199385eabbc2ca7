# attack: replay
# expect: refused
"""Writes the upper half of the output and trusts an earlier call for the lower one."""

import torch

calls = 0


def custom_kernel(data):
    global calls
    calls += 1
    half = len(data[0]) // 2 if calls > 3 else len(data[0])
    torch.mm(data[0][:half], data[1], out=data[2][:half])
