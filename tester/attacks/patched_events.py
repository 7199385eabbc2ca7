# attack: clock
# expect: no advantage
"""Replaces the events and the synchronisation by which accelerators are timed."""

import torch

torch.cuda.synchronize = lambda *_: None
torch.cuda.Event = type("Event", (), {"record": lambda *_: None, "elapsed_time": lambda *_: 0.0})


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
