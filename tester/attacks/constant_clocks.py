# attack: clock
# expect: no advantage
"""Replaces every clock of Python by a constant."""

import time
import torch

for name in ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time", "time_ns", "process_time"):
    setattr(time, name, lambda: 0)


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
