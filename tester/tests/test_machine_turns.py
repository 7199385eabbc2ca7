"""Turns of runs on one machine."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from support import RIGHT, TesterProcess, job, settled_descendants

from kernelbot_tester.failures import NotJudged
from kernelbot_tester.worker import machine_turns
from kernelbot_tester.worker.machine_turns import MachineTurns, Turn


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
        with turns.open().untimed_if_free() as is_free:
            return is_free

    def waiting(self, turn: Turn) -> threading.Thread:
        """Returns a thread that waits for a timed turn."""
        thread = threading.Thread(target=turn.timed)
        thread.start()
        self.addCleanup(thread.join)
        return thread

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
        other = self.there.open()
        other.untimed()
        thread = self.waiting(self.here.open())
        while self.free(self.there):
            pass
        self.assertTrue(thread.is_alive(), "the other run still has its turn")
        other.close()
        thread.join(10)
        self.assertFalse(thread.is_alive())

    def test_its_own_untimed_turn_ends_when_a_run_is_timed(self) -> None:
        turn = self.here.open()
        turn.untimed()
        turn.timed()
        self.assertFalse(self.free(self.there))

    def test_a_turn_ends_with_its_process(self) -> None:
        ready, done = os.pipe()
        child = os.fork()
        if child == 0:
            self.here.open().timed()
            os.write(done, b".")
            signal.pause()
        os.read(ready, 1)
        self.assertFalse(self.free(self.there))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self.assertTrue(self.free(self.there))

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
