# attack: environment
# expect: refused
"""Requests the answer from another machine."""

import socket


def custom_kernel(data):
    socket.create_connection(("192.0.2.1", 80), timeout=1)
