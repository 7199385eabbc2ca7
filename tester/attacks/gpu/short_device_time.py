# attack: clock
# expect: no advantage
"""Reports a device time of one nanosecond for every call."""

import torch
import worker.device

worker.device.Device.took_ns = property(lambda self: 1.0, lambda self, value: None)


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
