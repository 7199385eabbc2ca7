"""Messages between judge and worker: a length (4 bytes, little endian), a JSON document, and open files."""

from __future__ import annotations

import json
import os
import socket
import struct
from typing import Any, Mapping

LENGTH = struct.Struct("<I")
#: Maximum size of a message that a judge accepts from a worker, in bytes. A worker trusts its judge.
WORKER_MESSAGE_BYTES = 1 << 20


def pack(message: Mapping[str, object]) -> bytes:
    """Returns the message as bytes. Lone surrogates and NULs are encoded as JSON escapes."""
    body = json.dumps(message).encode("ascii")
    return LENGTH.pack(len(body)) + body


def send(sock: socket.socket, message: Mapping[str, object], files: list[int] | None = None) -> None:
    """Sends a message and duplicates of these open files. Respects the socket's timeout."""
    data = pack(message)
    sent = socket.send_fds(sock, [data], files) if files else sock.send(data)
    while sent < len(data):
        sent += sock.send(data[sent:])


def receive(sock: socket.socket) -> tuple[Any, list[int]]:
    """Waits for a message of the judge, of a type in protocol.py, and its open files. Raises EOFError when the other side has closed the connection."""
    head = b""
    files: list[int] = []
    while len(head) < LENGTH.size:
        data, received, _, _ = socket.recv_fds(sock, LENGTH.size - len(head), 8)
        files += received
        if not data:
            for file in files:
                os.close(file)
            raise EOFError("the judge has gone")
        head += data
    (length,) = LENGTH.unpack(head)
    body = bytearray()
    while len(body) < length:
        data = sock.recv(min(length - len(body), 1 << 20))
        if not data:
            raise EOFError("the judge has gone")
        body += data
    return json.loads(body), files
