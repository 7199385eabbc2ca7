# attack: replay
# expect: refused
"""Distinguishes the tests from the timed cases by their size, and computes only in the tests."""

import torch


def custom_kernel(data):
    if len(data[0]) < 100:
        torch.mm(data[0], data[1], out=data[2])
