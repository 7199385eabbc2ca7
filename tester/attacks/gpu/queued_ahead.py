# attack: window
# expect: refused
"""Leaves a long queue of products on the device, each of the inputs at its time, and returns the latest in the next call."""

import torch
import worker.device

side = torch.cuda.Stream()
ahead = {}
worker.device.Device.end = lambda self: None


def custom_kernel(data):
    a, b, c = data
    known = ahead.get(c.data_ptr())
    if known is None:
        torch.mm(a, b, out=c)
        torch.cuda.current_stream().synchronize()
        known = ahead[c.data_ptr()] = torch.empty_like(c)
    else:
        c.copy_(known)
    with torch.cuda.stream(side):
        for _ in range(2_000):
            torch.mm(a, b, out=known)
