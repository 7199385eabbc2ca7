# attack: answer
# expect: refused
"""Leaves out the last row, in case only samples are checked."""

import torch


def custom_kernel(data):
    torch.mm(data[0][:-1], data[1], out=data[2][:-1])
