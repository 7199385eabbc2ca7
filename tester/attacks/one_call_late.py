# attack: window
# expect: refused
"""Answers each question while it is asked the next one, so that a call costs nothing when only the last is checked.
"""

import torch

pending = []


def custom_kernel(data):
    for a, b, c in pending:
        torch.mm(a, b, out=c)
    pending[:] = [(data[0].clone(), data[1].clone(), data[2])]
