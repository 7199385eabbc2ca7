"""The host survives any failure of a job, and leaves no process when it ends."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from typing import Iterator

from support import ADDITION, RIGHT, TESTER, JudgeTest, TesterProcess, descendants, job, settled_descendants, shared_tester, wait_until_gone

ENDLESS = "print('here', flush=True)\ndef custom_kernel(data):\n    while True: pass\n"


class Cancellation(JudgeTest):
    def setUp(self) -> None:
        self.tester = shared_tester()

    def start_endless(self) -> dict:
        """Sends a job, and returns it once its kernel is running. Its problem is another one than that of the runs
        before, so that its processes are new."""
        self.running = message = job(ENDLESS, reference=ADDITION + "# endless\n")
        self.tester.send(message)
        while self.tester.event("stage_started")["stage"] != "test":
            pass
        return message

    def passes_again(self) -> None:
        """Checks that a correct kernel passes."""
        self.assertEqual("passed", self.tester.run(job(RIGHT))[-1]["verdict"])

    def prepared(self) -> set[int]:
        """Returns the processes of a tester that waits with those of its next run. Their cells are created later
        where another tester measures."""
        for _ in range(20):
            # After a benchmark no judge is kept.
            self.tester.run(job(RIGHT, "benchmark"))
            found = settled_descendants(self.tester.process.pid)
            # Below a second bwrap and the zygote are the cells.
            if len(descendants(self.tester.child("bwrap"))) > 2:
                return found
        raise AssertionError("the tester has never prepared its next run")

    @contextlib.contextmanager
    def processes_end(self) -> Iterator[None]:
        """Checks that the processes of the run in its body end, and that only those of the next run are left."""
        before = self.prepared()
        self.start_endless()
        during = set(descendants(self.tester.process.pid))
        yield
        after = settled_descendants(self.tester.process.pid)
        self.assertGreaterEqual(len(during - after), 3, "a judge, a keeper and a worker have ended")
        self.assertLessEqual(len(after), len(before), "at most the processes of the next run are left")
        self.passes_again()

    def test_a_cancelled_run_ends_at_once_with_all_its_processes(self) -> None:
        with self.processes_end():
            self.tester.send({"type": "cancel", "id": self.running["id"]})
            verdict = self.tester.event("verdict")
            self.assertEqual(("infra_error", "the run was cancelled"), (verdict["verdict"], verdict["message"]))

    def test_a_judge_that_is_killed_leaves_a_verdict_and_no_process(self) -> None:
        with self.processes_end():
            os.kill(self.tester.child("serve"), signal.SIGKILL)
            verdict = self.tester.event("verdict")
            self.assertEqual("infra_error", verdict["verdict"])
            self.assertEqual("the judge was killed by SIGKILL before it reached a verdict", verdict["message"])

    def test_a_worker_that_is_killed_from_outside_has_a_failure_of_its_own(self) -> None:
        self.start_endless()
        # The process of the problem of the run before, which was kept, may not have ended yet.
        settled_descendants(self.tester.process.pid)
        os.kill(self.tester.worker(), signal.SIGKILL)
        verdict = self.tester.event("verdict")
        self.assertEqual("out_of_memory", verdict["failureClass"], verdict)
        self.passes_again()

    def test_a_zygote_that_is_killed_is_replaced(self) -> None:
        sandbox = self.tester.child("bwrap")
        os.kill(sandbox, signal.SIGKILL)
        wait_until_gone([sandbox])
        self.passes_again()

    def test_cancelling_a_run_that_has_ended_or_is_unknown_does_nothing(self) -> None:
        message = job(RIGHT)
        self.tester.run(message)
        self.tester.send({"type": "cancel", "id": message["id"]})
        self.tester.send({"type": "cancel", "id": "unknown"})
        self.passes_again()

    def test_jobs_wait_for_their_turn_and_can_be_cancelled_while_they_wait(self) -> None:
        running, waiting = self.start_endless(), job(RIGHT)
        self.tester.send(waiting)
        self.tester.send({"type": "cancel", "id": waiting["id"]})
        line = self.tester.line()
        self.assertEqual((waiting["id"], "the run was cancelled"), (line["id"], line["event"]["message"]))
        last = job(RIGHT)
        self.tester.send(last)
        self.tester.send({"type": "cancel", "id": running["id"]})
        self.assertEqual("infra_error", self.tester.event("verdict")["verdict"])
        self.assertEqual("passed", self.tester.event("verdict")["verdict"])

    def test_lines_that_are_not_jobs_are_ignored(self) -> None:
        for line in (
            b"\n",
            b"not json\n",
            b"[]\n",
            b"{}\n",
            b'{"type": "run"}\n',
            b"\xff\xfe\n",
            b'{"type": "run", "id": 5}\n',
        ):
            self.tester.send(line)
        self.passes_again()

    def test_an_incomplete_job_gets_a_verdict(self) -> None:
        self.tester.send({"type": "run", "id": "half"})
        self.assertEqual("infra_error", self.tester.event("verdict")["verdict"])
        self.passes_again()


class Shutdown(unittest.TestCase):
    def start(self) -> TesterProcess:
        """Returns a tester with a running job."""
        tester = TesterProcess()
        if tester.first["type"] != "ready":
            self.skipTest(tester.first["reason"])
        tester.send(job(ENDLESS))
        while tester.event("stage_started")["stage"] != "test":
            pass
        return tester

    def test_the_end_of_the_input_ends_everything(self) -> None:
        tester = self.start()
        processes = descendants(tester.process.pid)
        tester.close()
        self.assertEqual(0, tester.process.returncode)
        wait_until_gone(processes)

    def test_a_host_that_is_killed_leaves_no_process(self) -> None:
        tester = self.start()
        processes = descendants(tester.process.pid)
        tester.process.kill()
        tester.close()
        wait_until_gone(processes)


class Startup(unittest.TestCase):
    def first_line(self, environment: dict[str, str]) -> dict:
        """Returns the first line of a tester with this environment."""
        command = [sys.executable, "-m", "kernelbot_tester", "serve"]
        done = subprocess.run(command, cwd=TESTER, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
        return json.loads(done.stdout.splitlines()[0])

    def test_ready_describes_the_machine(self) -> None:
        machine = shared_tester().first["machine"]
        self.assertEqual(
            {
                "hostname",
                "os",
                "arch",
                "cpu",
                "memoryBytes",
                "accelerators",
                "runtime",
                "driver",
                "python",
                "frameworks",
            }
            | {"sandbox", "testerVersion"},
            set(machine),
        )
        self.assertEqual("bubblewrap", machine["sandbox"])
        self.assertEqual({"torch", "numpy"}, {"torch", "numpy"} & set(machine["frameworks"]))
        self.assertRegex(machine["testerVersion"], r"^[0-9a-f]{12}$")

    def test_a_machine_without_bubblewrap_is_refused_with_advice(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("cc", "gcc"):
                found = shutil.which(name)
                if found is not None:
                    os.symlink(found, f"{folder}/{name}")
            line = self.first_line({**os.environ, "PATH": folder})
        self.assertEqual("refused", line["type"])
        self.assertIn("apt install bubblewrap", line["reason"])
        self.assertIn("--unsafe-no-sandbox", line["reason"])

    def test_a_sandbox_that_cannot_be_made_is_refused_with_advice(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            with open(f"{folder}/bwrap", "w") as file:
                file.write("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
            os.chmod(f"{folder}/bwrap", 0o755)
            line = self.first_line({**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertEqual("refused", line["type"])
        self.assertIn("setting up uid map: Permission denied", line["reason"])
        self.assertIn("user.max_user_namespaces", line["reason"])


class Accelerators(unittest.TestCase):
    @unittest.skipIf(os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/kfd"), "there is one")
    def test_a_runner_for_an_accelerator_without_one_is_refused_with_advice(self) -> None:
        tester = TesterProcess("--accelerator")
        tester.close()
        self.assertEqual((1, "refused"), (tester.process.returncode, tester.first["type"]))
        self.assertRegex(tester.first["reason"], "this PyTorch was built for processors only|there is no accelerator")


class WithoutSandbox(unittest.TestCase):
    def test_an_operator_can_turn_the_sandbox_off_and_every_run_reports_it(self) -> None:
        tester = TesterProcess("--unsafe-no-sandbox")
        try:
            self.assertEqual("none", tester.first["machine"]["sandbox"])
            self.assertEqual("passed", tester.run(job(RIGHT))[-1]["verdict"])
            self.assertEqual("passed", tester.run(job(RIGHT, "benchmark"))[-1]["verdict"])
            crash = tester.run(job("import ctypes\ndef custom_kernel(data): ctypes.string_at(0)"))[-1]
            self.assertIn("SIGSEGV", crash["message"])
            limits = {"prepare": 5, "test": 1, "benchmark": 1, "ranked": 1}
            self.assertEqual("timeout", tester.run(job(ENDLESS, timeoutsS=limits))[-1]["failureClass"])
        finally:
            tester.close()


    def test_the_folder_of_an_unconfined_worker_goes_with_a_judge_that_is_killed(self) -> None:
        tester = TesterProcess("--unsafe-no-sandbox")
        try:
            message = job(ENDLESS)
            tester.send(message)
            tester.event("stage_started")
            pattern = f"{tester.cache}/kernelbot-{tester.child('serve')}-*"
            while tester.event("stage_started")["stage"] != "test":
                pass
            self.assertEqual(1, len(glob.glob(pattern)))
            tester.send({"type": "cancel", "id": message["id"]})
            tester.event("verdict")
            self.assertEqual([], glob.glob(pattern))
        finally:
            tester.close()


if __name__ == "__main__":
    unittest.main()
