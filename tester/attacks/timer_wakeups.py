# attack: window
# expect: no advantage
"""A thread is woken by a timer every 50 microseconds, also while the worker is stopped, and watches for the next input."""

import ctypes
import os
import threading

import torch

libc = ctypes.CDLL(None)
timer = libc.timerfd_create(1, 0)
period = (ctypes.c_long * 4)(0, 50_000, 0, 50_000)
libc.timerfd_settime(timer, 0, period, None)
state = {"data": None, "mark": None, "result": None}


def watch():
    while True:
        os.read(timer, 8)
        data = state["data"]
        if data is not None and float(data[0][0, 0]) != state["mark"]:
            state["mark"] = float(data[0][0, 0])
            state["result"] = (state["mark"], torch.mm(data[0], data[1]))


threading.Thread(target=watch, daemon=True).start()


def custom_kernel(data):
    state["data"] = data
    result = state["result"]
    if result is not None and result[0] == float(data[0][0, 0]):
        return result[1]
    return torch.mm(data[0], data[1])
