"""Helpers of attacks that know this tester: access to what the worker shares with the judge."""

import ctypes
import struct
import sys


def find(name):
    """The variable of this name in the nearest frame that has it: `native`, `sock` and `words` are the worker's."""
    frame = sys._getframe(1)
    while frame is not None:
        if name in frame.f_locals:
            return frame.f_locals[name]
        frame = frame.f_back
    raise LookupError(name)


def order(words):
    """The number of the judge's order under way."""
    return ctypes.c_uint32.from_address(words).value


def say(sock, text):
    """Speaks to the judge in the worker's name."""
    body = text.encode()
    sock.send(struct.pack("<I", len(body)) + body)
