"""The core of a stopped worker does not go idle: a thread of the judge spins there while nothing else runs."""

from __future__ import annotations

import ctypes
import mmap
import os
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from support import RIGHT, JudgeTest, descendants, job, shared_tester

from kernelbot_tester.sandbox.native_library import native
from kernelbot_tester.worker.library import DONE_OFFSET, Probes, Sequence


def spinners(pid: int) -> list[Path]:
    """Returns the folders of the threads of a process that run only where no other wants the core."""
    return [
        folder for folder in Path(f"/proc/{pid}/task").glob("*") if os.sched_getscheduler(int(folder.name)) == os.SCHED_IDLE
    ]


def state_of(thread: Path) -> str:
    """Returns the state of a thread, as of proc_pid_stat(5)."""
    return (thread / "stat").read_text().rpartition(")")[2].split()[0]


class Spinner(unittest.TestCase):
    def setUp(self) -> None:
        self.child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        self.addCleanup(self.child.wait)
        self.addCleanup(self.child.kill)
        self.pidfd = os.pidfd_open(self.child.pid)
        self.addCleanup(os.close, self.pidfd)
        self.folder = os.open(f"/proc/{self.child.pid}", os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, self.folder)
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
        self.assertGreater(native().kb_freeze(self.pidfd, self.folder, self.child.pid, 10**10), 0)

    def becomes(self, state: str) -> None:
        """Waits until the only spinner is in a state."""
        (spinner,) = spinners(os.getpid())
        until = time.monotonic() + 30
        while (seen := state_of(spinner)) != state:
            self.assertLess(time.monotonic(), until, f"the spinner's state is {seen} instead of {state}")

    def test_it_spins_on_the_core_of_a_process_from_its_stop_until_it_may_run(self) -> None:
        native().kb_keep_awake(True)
        for core in (min(self.cores), max(self.cores)):
            os.sched_setaffinity(self.child.pid, {core})
            self.call()
            (spinner,) = spinners(os.getpid())
            self.assertEqual({core}, os.sched_getaffinity(int(spinner.name)))
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
    def spins_in(self, mode: str) -> bool:
        """Whether a thread is seen to spin in a run."""
        seen = threading.Event()
        tester = shared_tester().process.pid

        def watch() -> None:
            while not done.is_set() and not seen.is_set():
                for pid in descendants(tester):
                    try:
                        if any(state_of(spinner) == "R" for spinner in spinners(pid)):
                            seen.set()
                    except OSError:
                        pass  # the thread or process has ended

        done = threading.Event()
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
    def test_a_ranked_run_keeps_it_awake_and_one_that_shares_the_machine_does_not(self) -> None:
        self.assertFalse(self.spins_in("reward"))
        self.assertTrue(self.spins_in("ranked"))


if __name__ == "__main__":
    unittest.main()
