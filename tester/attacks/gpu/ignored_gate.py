# attack: window
# expect: refused
"""Does not wait at the gate of a burst, and so computes before its inputs are written."""

import torch
import worker.device

worker.device.Device.wait_at = lambda self, gate, number: None


def custom_kernel(data):
    return torch.mm(data[0], data[1], out=data[2])
