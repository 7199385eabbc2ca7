# attack: window
# expect: no advantage
"""Never waits for the device, and reports a device time of one microsecond."""

import torch
import worker.device


def end(self):
    self.took_ns = 1_000.0


worker.device.Device.end = end


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
