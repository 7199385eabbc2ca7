# attack: window
# expect: refused
"""Makes a terminal hang up shortly after its answer, for which the kernel sends SIGCONT, so that it would run while the next
input is written. The terminal is in a cycle of sockets, which the kernel collects later.
"""

import fcntl
import os
import signal
import socket
import struct
import threading
import torch

UNLOCK, NUMBER = 0x40045431, 0x80045430  # TIOCSPTLCK, TIOCGPTN
os.setsid()
signal.signal(signal.SIGHUP, signal.SIG_IGN)
seen = []
terminals = []


def watch():
    while True:
        for data in list(seen):
            torch.mm(data[0], data[1])


threading.Thread(target=watch, daemon=True).start()


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
    seen[:] = [data]
    master = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(master, UNLOCK, struct.pack("i", 0))
    number = struct.unpack("i", fcntl.ioctl(master, NUMBER, bytes(4)))[0]
    terminals[:] = [os.fdopen(os.open(f"/dev/pts/{number}", os.O_RDWR), "rb", 0)]
    one, other = socket.socketpair()
    socket.send_fds(other, [b"x"], [master, one.fileno(), other.fileno()])
    os.close(master)
    one.close()
    other.close()
