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
bindings = sys.modules["worker.bindings"]


class Unlucky(bindings.Binding):
    def __init__(self, *details):
        super().__init__(*details)
        if calls > 8:
            sock.send(b"x", socket.MSG_OOB)
            time.sleep(60)


bindings.Binding = Unlucky


def custom_kernel(data):
    global calls
    calls += 1
    torch.mm(data[0], data[1], out=data[2])
