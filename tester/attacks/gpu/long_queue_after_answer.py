# attack: window
# expect: no advantage
"""Answers first, and leaves work on another stream that keeps the device busy while other kernels are timed."""

import torch
import worker.device

side = torch.cuda.Stream()


def end(self):
    torch.cuda.current_stream().synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)


worker.device.Device.end = end


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
