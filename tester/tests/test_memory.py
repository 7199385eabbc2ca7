"""The memory of a submission is limited for every kind of allocation, and exceeding the limit is the submission's
failure."""

from __future__ import annotations

import atexit
import functools
import unittest

from support import RIGHT, TesterProcess, job
from test_legacy import legacy

#: A tester on a machine that appears to have 2 GiB, so that a cell may use 1 GiB.
SMALL = """
import os, runpy, sys
real = os.sysconf
os.sysconf = lambda name: (2 << 30) // real("SC_PAGE_SIZE") if name == "SC_PHYS_PAGES" else real(name)
sys.argv = ["kernelbot_tester", "serve"]
runpy.run_module("kernelbot_tester", run_name="__main__")
"""

TOOLS = """
import ctypes, fcntl, mmap, os, signal, socket, time, torch

def in_children(number, work):
    for _ in range(number):
        if os.fork() == 0:
            try:
                kept = work()
            finally:
                while True:
                    signal.pause()

def wait():
    while True:
        time.sleep(1)

def filled(size, memory=None):
    memory = mmap.mmap(-1, size) if memory is None else memory
    for place in range(0, len(memory), 4096):
        memory[place] = 1
    return memory

def sockets(number):
    pairs = [socket.socketpair() for _ in range(number // 2)]
    for one, other in pairs:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
        one.setblocking(False)
        try:
            while True:
                one.send(bytes(1 << 16))
        except BlockingIOError:
            pass
    return pairs
"""


@functools.cache
def small_tester() -> TesterProcess:
    """Returns one tester with little memory for all tests in this file."""
    tester = TesterProcess(command=["-c", SMALL])
    if tester.first["type"] != "ready":
        raise unittest.SkipTest(tester.first["reason"])
    atexit.register(tester.close)
    return tester


class Memory(unittest.TestCase):
    def tearDown(self) -> None:
        self.assertEqual("passed", small_tester().run(job(RIGHT))[-1]["verdict"])

    def out_of_memory(self, message: dict) -> None:
        verdict = small_tester().run(message)[-1]
        self.assertEqual(("failed", "out_of_memory"), (verdict["verdict"], verdict["failureClass"]), verdict)
        self.assertIn("took more than 1.0 GiB", verdict["message"])

    def printed(self, source: str) -> str:
        events = small_tester().run(job(TOOLS + source + RIGHT))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        return "".join(event["head"] for event in events if event["type"] == "output")

    def test_buffers_of_sockets_in_64_processes(self) -> None:
        self.out_of_memory(job(TOOLS + "in_children(60, lambda: sockets(400))\nwait()\n"))

    def test_sockets_of_processes_that_hide_their_files(self) -> None:
        # PR_SET_DUMPABLE
        source = "def hidden():\n    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n    return sockets(500)\n"
        self.out_of_memory(job(TOOLS + source + "in_children(10, hidden)\nwait()\n"))

    def test_shared_anonymous_mappings_of_children(self) -> None:
        self.out_of_memory(job(TOOLS + "in_children(16, lambda: filled(128 << 20))\nwait()\n"))

    def test_processes_of_a_harness(self) -> None:
        main = TOOLS + "in_children(16, lambda: torch.ones(32 << 20))\nwait()\n"
        self.out_of_memory(legacy("", main=main))
        self.out_of_memory(legacy("", main=TOOLS + "in_children(16, lambda: filled(128 << 20))\nwait()\n"))

    def test_a_mapping_that_many_share_counts_once(self) -> None:
        source = """
shared = filled(256 << 20)
ready = mmap.mmap(-1, 4096)
def read(number):
    total = sum(shared[place] for place in range(0, len(shared), 4096))
    ready[number] = 1
children = []
for number in range(8):
    child = os.fork()
    if child == 0:
        read(number)
        time.sleep(0.5)
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
print(sum(ready[:8]))
"""
        self.assertEqual("8\n", self.printed(source))

    def test_the_kernel_kills_a_submission_before_its_keeper(self) -> None:
        source = """
print(open("/proc/self/oom_score_adj").read().strip())
try:
    open("/proc/self/oom_score_adj", "w").write("0")
except OSError:
    print("refused")
"""
        self.assertEqual("1000\nrefused\n", self.printed(source))

    def test_kernel_buffers_keep_their_size(self) -> None:
        source = """
one, other = socket.socketpair()
before = one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF), one.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
for option in (socket.SO_SNDBUF, socket.SO_RCVBUF, 32, 33):
    one.setsockopt(socket.SOL_SOCKET, option, 4 << 20)
after = one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF), one.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
one.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
print(before == after, one.getsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED))
reads, writes = os.pipe()
try:
    fcntl.fcntl(writes, 1031, 1 << 20)
except PermissionError:
    print("refused")
libc = ctypes.CDLL(None, use_errno=True)
print(libc.vmsplice(writes, None, 0, 0), ctypes.get_errno())
"""
        self.assertEqual("True 1\nrefused\n-1 1\n", self.printed(source))


if __name__ == "__main__":
    unittest.main()
