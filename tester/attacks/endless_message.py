# attack: report
# expect: refused
"""Announces a message of four gigabytes, for which the judge would allocate memory."""

from utils import find

sock = find("sock")


def custom_kernel(data):
    sock.send(b"\xff\xff\xff\xff" + bytes(1 << 16))
