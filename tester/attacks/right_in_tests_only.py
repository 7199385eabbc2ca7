# attack: replay
# expect: refused
"""Tells the tests from the timed cases by their size, and works in the tests."""

import torch


def custom_kernel(data):
    if len(data[0]) < 100:
        torch.mm(data[0], data[1], out=data[2])
