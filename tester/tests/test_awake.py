"""The core of a stopped worker does not go idle: a process spins there while nothing else runs."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from support import RIGHT, SPINNER, JudgeTest, children, job, name_of, shared_tester

from kernelbot_tester.judge.awake import start_awake
from kernelbot_tester.sandbox.native_library import native
from kernelbot_tester.worker.library import DONE_OFFSET, Probes, Sequence


def state_of(pid: int) -> str:
    """Returns the state of a process, as of proc_pid_stat(5)."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def spinner_of(pid: int) -> int:
    """Returns the spinning process of a tester, once it sleeps for the first time."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for child in children(pid):
            if name_of(child) == SPINNER and state_of(child) == "S":
                return child
    raise AssertionError("the process that keeps a core awake did not start")


def wait_for_state(pid: int, state: str) -> None:
    """Waits until a process is in a state."""
    until = time.monotonic() + 30
    while (seen := state_of(pid)) != state:
        assert time.monotonic() < until, f"the state is {seen} instead of {state}"


class Spinner(unittest.TestCase):
    def setUp(self) -> None:
        self.child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        self.addCleanup(self.child.wait)
        self.addCleanup(self.child.kill)
        self.pidfd = os.pidfd_open(self.child.pid)
        self.addCleanup(os.close, self.pidfd)
        self.folder = os.open(f"/proc/{self.child.pid}", os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, self.folder)
        start_awake()
        self.spinner = spinner_of(os.getpid())
        self.addCleanup(os.waitpid, self.spinner, 0)
        self.addCleanup(os.kill, self.spinner, signal.SIGKILL)
        self.addCleanup(native().kb_keep_awake, False)
        self.cores = os.sched_getaffinity(self.child.pid)

    def call(self) -> None:
        """Calls the child, which seems to have answered."""
        channel = mmap.mmap(-1, mmap.PAGESIZE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(channel))
        ctypes.c_uint32.from_address(address + DONE_OFFSET).value = 1
        sequence = Sequence(1, [0], [Probes(None, None, 0)])
        native().kb_call(address, sequence, self.pidfd, self.folder, 0, 0, ctypes.byref(ctypes.c_uint64()))

    def freeze(self) -> None:
        self.assertGreater(native().kb_freeze(self.pidfd, self.folder, self.child.pid, 10**10, 0, ctypes.byref(ctypes.c_uint64())), 0)

    def becomes(self, state: str) -> None:
        """Waits until the spinner is in a state."""
        wait_for_state(self.spinner, state)

    def test_it_spins_on_the_core_of_a_process_from_its_stop_until_it_may_run(self) -> None:
        native().kb_keep_awake(True)
        for core in (min(self.cores), max(self.cores)):
            os.sched_setaffinity(self.child.pid, {core})
            self.call()
            self.assertEqual({core}, os.sched_getaffinity(self.spinner))
            self.becomes("S")
            self.freeze()
            self.becomes("R")
            native().kb_thaw(self.pidfd)
            self.becomes("S")
        self.freeze()
        self.becomes("R")
        native().kb_keep_awake(False)
        self.becomes("S")

    def test_it_sleeps_where_no_core_is_to_stay_awake(self) -> None:
        native().kb_keep_awake(True)
        self.call()
        native().kb_keep_awake(False)
        self.freeze()
        self.call()
        self.freeze()
        self.becomes("S")


class Runs(JudgeTest):
    def setUp(self) -> None:
        self.tester = shared_tester()
        self.spinner = spinner_of(self.tester.process.pid)

    def spins_in(self, mode: str) -> bool:
        """Whether the process is seen to spin in a run."""
        seen, done = threading.Event(), threading.Event()

        def watch() -> None:
            while not done.is_set() and not seen.is_set():
                if state_of(self.spinner) == "R":
                    seen.set()

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            verdict = self.judge(job(RIGHT, mode=mode))[-1]
        finally:
            done.set()
            watcher.join()
        self.assertEqual("passed", verdict["verdict"], verdict)
        return seen.is_set()

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "the judge has no core of its own")
    def test_runs_that_time_calls_keep_it_awake(self) -> None:
        self.assertFalse(self.spins_in("test"))
        self.assertTrue(self.spins_in("reward"))
        self.assertTrue(self.spins_in("ranked"))

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "the judge has no core of its own")
    def test_it_sleeps_after_a_judge_was_killed_while_it_spun(self) -> None:
        self.tester.send(job(RIGHT, mode="ranked"))
        wait_for_state(self.spinner, "R")
        os.kill(self.tester.child("serve"), signal.SIGKILL)
        self.assertEqual("infra_error", self.tester.event("verdict")["verdict"])
        wait_for_state(self.spinner, "S")


if __name__ == "__main__":
    unittest.main()
