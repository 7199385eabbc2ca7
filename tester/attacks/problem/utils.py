"""Helpers of attacks that target this tester: access to the memory that the worker shares with the judge."""

import ctypes
import struct
import sys


def find(name):
    """Returns the variable of this name in the nearest calling frame that has it: `native`, `sock` and `words` are the worker's."""
    frame = sys._getframe(1)
    while frame is not None:
        if name in frame.f_locals:
            return frame.f_locals[name]
        frame = frame.f_back
    raise LookupError(name)


def order(words):
    """Returns the number of the judge's current order."""
    return ctypes.c_uint32.from_address(words).value


def say(sock, text):
    """Sends a message to the judge as if the worker did."""
    body = text.encode()
    sock.send(struct.pack("<I", len(body)) + body)
