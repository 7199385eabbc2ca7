# attack: environment
# expect: refused
"""Fills socket buffers, which are kernel memory, in as many processes as it can start."""

import os
import signal
import socket


def fill():
    pairs = [socket.socketpair() for _ in range(480)]
    for one, _ in pairs:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 << 20)
        one.setblocking(False)
        try:
            while True:
                one.send(bytes(1 << 16))
        except OSError:
            pass
    return pairs


try:
    while True:
        if os.fork() == 0:
            kept = fill()
            while True:
                signal.pause()
except OSError:
    signal.pause()


def custom_kernel(data):
    raise AssertionError("unreachable")
