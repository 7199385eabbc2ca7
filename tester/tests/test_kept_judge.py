"""Runs of one problem that do not rank have the same judge and process of the problem, one after the other."""

from __future__ import annotations

import contextlib
import os
import signal
import time
import unittest
from pathlib import Path
from typing import Any

from support import ADDITION, RIGHT, SPINNER, Event, TesterProcess, children, descendants, job, name_of, wait_until_gone

#: The problem reports as the operations of its cases when it was imported, so that runs show which process they had.
DATED = ADDITION.replace('"operations": size}', '"operations": IMPORTED}') + "\nimport time\nIMPORTED = time.monotonic()\n"
#: A tester whose judges wait for another job for this many seconds.
KEPT_S = 2.0
IMPATIENT = f"""
import runpy, sys
from kernelbot_tester.judge import host
host.KEPT_S = {KEPT_S}
sys.argv = ["kernelbot_tester", "serve"]
runpy.run_module("kernelbot_tester", run_name="__main__")
"""
WRONG = "def custom_kernel(data):\n    data[2].zero_()\n"
RAISES = "def custom_kernel(data):\n    raise ValueError('no')\n"
WRONG_WHEN_TIMED = """
calls = []
def custom_kernel(data):
    calls.append(data)
    data[2].copy_(data[0] + data[1] if len(calls) < 6 else data[0])
"""
DIES = "import os\ndef custom_kernel(data):\n    os._exit(1)\n"


def dated(source: str = RIGHT, mode: str = "test", reference: str = DATED, **spec: Any) -> dict:
    """Returns a job of the dated problem."""
    return job(source, mode, reference, **spec)


def imported(events: list[Event]) -> float:
    """Returns when the problem of a run was imported."""
    return next(event["operations"] for event in events if event["type"] == "case_finished")


class KeptJudge(unittest.TestCase):
    tester: TesterProcess

    @classmethod
    def setUpClass(cls) -> None:
        cls.tester = TesterProcess(command=["-c", IMPATIENT])

    @classmethod
    def tearDownClass(cls) -> None:
        cls.tester.close()

    def run_job(self, message: dict, verdict: str = "passed") -> list[Event]:
        events = self.tester.run(message)
        self.assertEqual(verdict, events[-1]["verdict"], events[-1])
        return events

    def judges(self) -> set[int]:
        """Returns the forks of the host: the kept judge and the one prepared for the next job of another problem."""
        return {pid for pid in children(self.tester.process.pid) if name_of(pid) not in ("bwrap", SPINNER, "")}

    def test_runs_of_one_problem_share_its_process_whatever_becomes_of_them(self) -> None:
        first = imported(self.run_job(dated()))
        for source in (WRONG, RAISES, DIES, "raise ValueError"):
            self.run_job(dated(source), "failed")
        self.assertEqual(first, imported(self.run_job(dated())))

    def test_a_reward_has_the_process_of_the_tests_before(self) -> None:
        self.assertEqual(imported(self.run_job(dated())), imported(self.run_job(dated(mode="reward"))))

    def test_a_run_that_ranks_has_new_processes_and_leaves_none(self) -> None:
        before = imported(self.run_job(dated()))
        ranked = [imported(self.run_job(dated(mode="ranked"))) for _ in range(2)]
        after = imported(self.run_job(dated()))
        self.assertEqual(4, len({before, *ranked, after}))

    def test_another_problem_has_another_process(self) -> None:
        before = imported(self.run_job(dated()))
        self.assertNotEqual(before, imported(self.run_job(dated(reference=DATED + "# changed\n"))))
        self.assertNotEqual(before, imported(self.run_job(dated())))

    def test_a_problem_at_fault_is_imported_again(self) -> None:
        faulty = DATED.replace("def ref_kernel(data):", "def ref_kernel(data):\n    if len(data[0]) == 333: raise ValueError")
        before = imported(self.run_job(dated(reference=faulty)))
        case = {"size": 333, "seed": 1}
        self.run_job(dated(reference=faulty, tests=[case]), "infra_error")
        self.assertNotEqual(before, imported(self.run_job(dated(reference=faulty))))

    def stopped(self) -> list[int]:
        """Returns the stopped processes: those that are kept, once the worker of the submission has ended."""
        found: list[int] = []
        for pid in descendants(self.tester.process.pid):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T":
                    found.append(pid)
        return found

    def kept(self, count: int) -> set[int]:
        """Waits until this number of processes stays stopped, and returns them."""
        until = time.monotonic() + KEPT_S
        found: set[int] = set()
        while len(found) != count or found != set(self.stopped()):
            self.assertLess(time.monotonic(), until, f"{len(found)} processes are stopped")
            found = set(self.stopped())
            time.sleep(0.1)
        return found

    def test_rewards_share_the_worker_of_the_reference(self) -> None:
        self.run_job(dated(mode="reward"))
        first = self.kept(2)
        self.run_job(dated())
        self.run_job(dated(WRONG, mode="reward"), "failed")
        self.run_job(dated(mode="reward"))
        self.assertEqual(first, self.kept(2))

    def test_a_run_that_fails_while_it_is_timed_leaves_no_worker_of_the_reference(self) -> None:
        self.run_job(dated(mode="reward"))
        self.run_job(dated(WRONG_WHEN_TIMED, mode="reward"), "failed")
        self.kept(1)
        self.run_job(dated(mode="reward"))

    def test_a_judge_that_gets_no_other_job_ends_with_its_processes(self) -> None:
        before = imported(self.run_job(dated()))
        time.sleep(KEPT_S / 2)
        while not (kept := self.stopped()):
            time.sleep(0.02)
        time.sleep(KEPT_S / 2 + 1)
        wait_until_gone(kept)
        self.assertEqual(1, len(self.judges()), "the judge of the next job is prepared")
        self.assertNotEqual(before, imported(self.run_job(dated())))

    def test_a_run_passes_after_a_kept_judge_was_killed(self) -> None:
        self.run_job(dated())
        kept = min(self.judges())
        os.kill(kept, signal.SIGKILL)
        time.sleep(0.1)
        self.run_job(dated())

    def test_failed_runs_leave_no_memory(self) -> None:
        """In a judge that has judged 5, and one that has judged 25."""
        large = [{"size": 1 << 20, "seed": seed} for seed in (1, 2)]
        sizes: list[tuple[int, int]] = []
        self.run_job(dated(tests=large))
        judge = min(self.judges())
        for count in range(1, 26):
            source = (WRONG, WRONG_WHEN_TIMED, RAISES, DIES)[count % 4]
            self.run_job(dated(source, mode="reward", tests=large), "failed")
            if count in (5, 25):
                self.assertIn(judge, self.judges())
                with open(f"/proc/{judge}/statm") as memory:
                    sizes.append((len(os.listdir(f"/proc/{judge}/fd")), int(memory.read().split()[1]) * 4096))
        (files_5, bytes_5), (files_25, bytes_25) = sizes
        self.assertLess(files_25, files_5 + 8)
        self.assertLess(bytes_25, bytes_5 + (12 << 20), "one set of inputs and outputs")

    def test_the_judge_of_many_runs_is_replaced(self) -> None:
        tester = TesterProcess(command=["-c", "from kernelbot_tester.judge import judge_process\njudge_process.MOST_JOBS = 2\n" + IMPATIENT])
        try:
            times = [imported(tester.run(dated())) for _ in range(3)]
            self.assertEqual(times[0], times[1])
            self.assertNotEqual(times[1], times[2])
            pids = children(tester.process.pid)
        finally:
            tester.close()
        wait_until_gone(pids)


if __name__ == "__main__":
    unittest.main()
