# attack: window
# expect: refused
"""Starts a process whose end orphans the stopped worker's process group, for which the kernel sends SIGCONT, to compute ahead
of the clock.
"""

import os
import signal
import threading
import time
import torch

seen = []


def work_ahead():
    while True:
        for a, b, c in seen:
            torch.mm(a, b, out=c)


def tie():
    if os.fork() == 0:
        os.setpgid(0, 0)
        if os.fork() == 0:
            os.setpgid(0, 1)
        while True:
            signal.pause()


os.setsid()
signal.signal(signal.SIGHUP, signal.SIG_IGN)
threading.Thread(target=work_ahead, daemon=True).start()


def custom_kernel(data):
    try:
        tie()
        time.sleep(0.05)
    except OSError:
        pass
    torch.mm(data[0], data[1], out=data[2])
    seen[:] = [data]
