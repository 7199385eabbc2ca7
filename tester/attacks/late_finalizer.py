# attack: window
# expect: refused
"""Leaves the work to a finalizer that runs when the next call begins."""

import torch


class Later:
    def __init__(self, data):
        self.data = data

    def __del__(self):
        a, b, c = self.data
        torch.mm(a, b, out=c)


pending = None


def custom_kernel(data):
    global pending
    pending = Later(data)
