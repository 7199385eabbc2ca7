"""Turns a cell's process into a problem's own harness: an interpreter that runs the harness's main file, with its
files in a read-only folder. The judge sends `protocol.HarnessRequest`
before any code but ours is loaded. The pipe of the report is passed to the harness only, in POPCORN_FD.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys

from . import library, wire
from .protocol import HarnessRequest

#: Processes started by the harness have its user, so /proc would show them its environment (with the seed), its memory
#: and its pipe. PR_SET_DUMPABLE = 0 denies them access (prctl(2)).
START = """
import ctypes, json, os, runpy, sys
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
main, folders, *sys.argv = sys.argv[1:]
sys.path[0] = os.getcwd()
sys.path += [folder for folder in json.loads(folders) if folder not in sys.path]
runpy.run_path(main, run_name="__main__")
"""


def main(
    native: ctypes.CDLL,
    limits: library.Limits,
    sandboxed: bool,
    talk: socket.socket,
    report: int,
    path: list[str],
    network: bool,
) -> None:
    """Replaces the process by the harness. Returns only by an OSError that names what failed. `network`: whether the
    cell has its own network, through which the processes of the harness can reach each other."""
    wire.send(talk, {"hello": os.getpid(), "processes": True})
    message: HarnessRequest
    message, _ = wire.receive(talk)
    talk.close()
    folder = message["folder"]
    os.makedirs(folder, exist_ok=True)

    def must(result: int) -> None:
        if result != 0:
            raise OSError(ctypes.get_errno(), f"the folder of the harness: {os.strerror(ctypes.get_errno())}")

    if sandboxed:
        must(native.kb_begin_folder(folder.encode(), ctypes.byref(limits)))
    inside = os.path.join(folder, "harness")
    os.mkdir(inside)
    files = {**message["files"], "../cases": message["cases"]}
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(inside, name)), exist_ok=True)
        with open(os.path.join(inside, name), "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
    os.chdir(inside)
    if sandboxed:
        must(native.kb_end_folder(folder.encode()))
        must(native.kb_close_cell(1, -1, library.sockets_of(limits, network), ctypes.byref(limits)))
    os.set_inheritable(report, True)
    # Processes of a pool are killed by a signal, which would lose output that is still buffered.
    ours = {"POPCORN_FD": str(report), "PYTHONUNBUFFERED": "1"}
    # Loopback is the only interface of the cell's network.
    interface = {"GLOO_SOCKET_IFNAME": "lo", "NCCL_SOCKET_IFNAME": "lo"} if network else {}
    environment = {**os.environ, **interface, **message["environment"], **ours}
    entry = os.path.join(inside, message["main"])
    arguments = [entry, json.dumps(path), message["main"], message["mode"], os.path.join(folder, "cases")]
    os.execve(sys.executable, [sys.executable, "-c", START, *arguments], environment)
