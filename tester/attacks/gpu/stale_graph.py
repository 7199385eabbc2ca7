# attack: replay
# expect: refused
"""Replays a graph that copies the output of the first call."""

import torch

answers = {}


def custom_kernel(data):
    a, b, c = data
    if c.data_ptr() not in answers:
        answers[c.data_ptr()] = torch.mm(a, b)
    c.copy_(answers[c.data_ptr()])
