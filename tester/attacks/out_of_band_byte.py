# attack: judge
# expect: refused
"""Sends a byte of out-of-band data, for which the judge's socket polls as readable while a read would block: the judge would
fail, and the run be requeued, whenever its times are bad.
"""

import socket
import sys
import time
import torch
from utils import find

sock = find("sock")
calls = 0
main = sys.modules["worker.main"]


class Unlucky(main.Binding):
    def __init__(self, message, file):
        super().__init__(message, file)
        if calls > 8:
            sock.send(b"x", socket.MSG_OOB)
            time.sleep(60)


main.Binding = Unlucky


def custom_kernel(data):
    global calls
    calls += 1
    torch.mm(data[0], data[1], out=data[2])
