"""Is a callable object."""

import torch


class Kernel:
    def __init__(self):
        self.calls = 0

    def __call__(self, data):
        self.calls += 1
        return torch.mm(data[0], data[1], out=data[2])


custom_kernel = Kernel()
