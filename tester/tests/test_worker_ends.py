"""What the judge concludes from a worker whose connection has ended."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import unittest
from typing import Iterator

import support  # noqa: F401
from kernelbot_tester.device.host import HostDevice
from kernelbot_tester.processes.worker_process import Worker
from kernelbot_tester.processes.zygote_requests import KEEPER_REPORT
from kernelbot_tester.sandbox.config import configure


@contextlib.contextmanager
def worker_of(pid: int) -> Iterator[tuple[Worker, int]]:
    """Yields a worker with this process, and the end of its keeper's connection."""
    worker = Worker(None, configure(True), HostDevice())
    messages, keeper, output, channel = worker.child_files
    for file in (messages, output, channel):
        os.close(file)
    worker.pid, worker.pidfd = pid, os.pidfd_open(pid)
    worker.proc_folder = os.open(f"/proc/{pid}", os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield worker, keeper
    finally:
        with contextlib.suppress(OSError):
            os.close(keeper)
        worker.close()


class Ends(unittest.TestCase):
    def test_a_process_whose_end_is_reported_late_has_crashed_and_closed_nothing(self) -> None:
        pid = os.fork()
        if pid == 0:
            os._exit(9)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        with worker_of(pid) as (worker, keeper):
            late = threading.Timer(2.5, lambda: os.write(keeper, KEEPER_REPORT.pack(os.CLD_EXITED, 9)))
            late.start()
            failure = worker._exit_failure()
            late.join()
        self.assertEqual(("crash", "the submission ended itself with exit code 9"), (failure.failure, failure.message))
        os.waitpid(pid, 0)

    def test_a_process_that_runs_on_has_closed_its_connection(self) -> None:
        pid = os.fork()
        if pid == 0:
            signal.pause()
        with worker_of(pid) as (worker, _):
            self.assertEqual("rejected", worker._exit_failure().failure)
        self.assertEqual(signal.SIGKILL, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) * -1)


if __name__ == "__main__":
    unittest.main()
