"""Installs handlers for a signal and for the exit, without using them."""

import atexit
import faulthandler
import signal
import torch

faulthandler.enable()
atexit.register(lambda: None)
signal.signal(signal.SIGALRM, lambda *_: None)


def custom_kernel(data):
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    torch.mm(data[0], data[1], out=data[2])
    signal.setitimer(signal.ITIMER_REAL, 0)
