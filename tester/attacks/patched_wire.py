# attack: judge
# expect: refused
"""Turns every error that the worker would report into a success."""

import sys

wire = sys.modules["worker.wire"]
send = wire.send
wire.send = lambda sock, message, files=None: send(sock, {"done": True}, files)


def custom_kernel(data):
    raise RuntimeError("never reported")
