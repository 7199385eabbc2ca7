# attack: clock
# expect: refused
"""Reports a device time longer than the call."""

import torch
import worker.device

worker.device.Device.took_ns = property(lambda self: 1e12, lambda self, value: None)


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
