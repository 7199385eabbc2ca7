# attack: clock
# expect: no advantage
"""Reports the right figure for its own calls, and keeps the device busy between them, for as long as the reference is
called there."""

import torch
import worker.device

side = torch.cuda.Stream()
#: About 4 ms: it ends before the next call of this kernel.
CYCLES = 8_000_000


def end(self):
    self.record_finish()
    torch.cuda.current_stream().synchronize()
    self.took_ns = self.driver.elapsed_ns(self.start, self.finish)
    with torch.cuda.stream(side):
        torch.cuda._sleep(CYCLES)


worker.device.Device.end = end


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
