# attack: clock
# expect: no advantage
"""Makes the operation that the reference uses slow, and keeps the fast one for itself."""

import time
import torch

fast = torch.mm


def slow(*arguments, **options):
    time.sleep(0.1)
    return fast(*arguments, **options)


torch.mm = torch.matmul = slow


def custom_kernel(data):
    fast(data[0], data[1], out=data[2])
