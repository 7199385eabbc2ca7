"""Turns of runs on one machine."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import tempfile
import time
import unittest
from pathlib import Path
from typing import Callable
from unittest import mock

from support import RIGHT, TesterProcess, job, settled_descendants

from kernelbot_tester.failures import NotJudged
from kernelbot_tester.worker import machine_turns
from kernelbot_tester.worker.machine_turns import MachineTurns, Turn


class Waiting:
    """A process that waits for its turn, and keeps it."""

    def __init__(self, turns: MachineTurns, take: Callable[[Turn], None]) -> None:
        self.ready, done = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            # A lock lasts as long as any copy of its file is open.
            for file in map(int, os.listdir("/proc/self/fd")):
                if file > 2 and file not in (done, *turns.files):
                    with contextlib.suppress(OSError):
                        os.close(file)
            take(turns.open())
            os.write(done, b".")
            signal.pause()
        os.close(done)

    def has_turn(self, within_s: float) -> bool:
        """Whether it has its turn, now or within these seconds."""
        return bool(select.select([self.ready], [], [], within_s)[0])

    def close(self) -> None:
        """Ends it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.ready)


class TurnsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # As two testers do, each opens the files by their path.
        with mock.patch.object(tempfile, "tempdir", folder.name):
            self.here, self.there = MachineTurns(), MachineTurns()
            self.device = MachineTurns(["GPU-1"])

    def free(self, turns: MachineTurns) -> bool:
        """Whether a run that is not timed could start."""
        with contextlib.closing(turns.open()) as turn, turn.untimed_if_free() as is_free:
            return is_free

    def waiting(self, take: Callable[[Turn], None]) -> "Waiting":
        """Returns a run in a process of its own, which waits for its turn."""
        run = Waiting(self.there, take)
        self.addCleanup(run.close)
        return run

    def test_runs_that_are_not_timed_go_together(self) -> None:
        self.here.open().untimed()
        self.there.open().untimed()
        self.assertTrue(self.free(self.there))

    def test_a_timed_run_is_alone_on_its_device(self) -> None:
        timed = self.here.open()
        timed.timed()
        self.assertFalse(self.free(self.there))
        self.assertTrue(self.free(self.device))
        with mock.patch.object(machine_turns, "WAIT_S", 0.05):
            self.assertRaisesRegex(NotJudged, "other runs on this machine", self.there.open().untimed)
            self.assertRaisesRegex(NotJudged, "other runs on this machine", self.there.open().timed)
        timed.close()
        self.assertTrue(self.free(self.there))

    def test_a_run_that_waits_to_be_timed_is_not_overtaken(self) -> None:
        other = self.here.open()
        other.untimed()
        run = self.waiting(Turn.timed)
        while self.free(self.here):
            pass
        self.assertFalse(run.has_turn(0.05), "the other run still has its turn")
        other.close()
        self.assertTrue(run.has_turn(10))

    def test_runs_that_are_timed_call_by_call_exclude_all_others(self) -> None:
        timed = self.here.open()
        timed.timed_call_by_call()
        self.assertFalse(self.free(self.there))
        alone, untimed = self.waiting(Turn.timed), self.waiting(Turn.untimed)
        self.assertFalse(alone.has_turn(0.05) or untimed.has_turn(0.05))
        timed.close()
        self.assertTrue(alone.has_turn(10) or untimed.has_turn(10))

    def test_calls_of_runs_that_are_timed_call_by_call_are_alone(self) -> None:
        here, there = self.here.open(), self.there.open()
        here.timed_call_by_call()
        there.timed_call_by_call()
        with mock.patch.object(machine_turns, "WAIT_S", 0.05):
            with self.assertRaisesRegex(NotJudged, "other runs on this machine"), here.alone():
                self.fail("the other run may do something else than a call")
        self.assertGreater(here.waited_s, 0.04)
        there.close()
        with here.alone():
            joining = self.waiting(Turn.timed_call_by_call)
            self.assertFalse(joining.has_turn(0.05))
        self.assertTrue(joining.has_turn(10))

    def test_its_own_untimed_turn_ends_when_a_run_is_timed(self) -> None:
        turn = self.here.open()
        turn.untimed()
        turn.timed()
        self.assertFalse(self.free(self.there))

    def test_a_turn_ends_with_its_process(self) -> None:
        run = Waiting(self.there, Turn.timed)
        self.assertTrue(run.has_turn(10))
        self.assertFalse(self.free(self.here))
        run.close()
        self.assertTrue(self.free(self.here))

    def test_submission_and_reference_are_stopped_while_their_run_waits(self) -> None:
        tester = TesterProcess()
        self.addCleanup(tester.close)
        with mock.patch.object(tempfile, "tempdir", tester.cache):
            turns = MachineTurns()
        other = turns.open()
        other.untimed()
        tester.send(job(RIGHT, "benchmark"))
        while self.free(turns):
            time.sleep(0.05)
        found = [Path(f"/proc/{pid}/stat").read_text() for pid in settled_descendants(tester.process.pid)]
        self.assertEqual(2, len([stat for stat in found if ") T " in stat]), found)
        other.close()
        self.assertEqual("passed", tester.event("verdict")["verdict"])


if __name__ == "__main__":
    unittest.main()
