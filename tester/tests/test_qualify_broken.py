"""Qualifying a machine: each row fails when a kernel, a problem or a tester breaks what it measures."""

from __future__ import annotations

import contextlib
import importlib
import io
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from support import TESTER

from kernelbot_tester.messages import Problem, ProblemSpecTimeoutsS, Qualification
from kernelbot_tester.qualify import attacks, corpus
from kernelbot_tester.qualify.clock import clock
from kernelbot_tester.qualify.ipc import ipc
from kernelbot_tester.qualify.jobs import PROBLEMS, load_problem
from kernelbot_tester.qualify.load import Load
from kernelbot_tester.qualify.noise import Measured, Plain, noise
from kernelbot_tester.qualify.overhead import overhead
from kernelbot_tester.qualify.qualify import CHECKS, Check, document, qualify, verdict
from kernelbot_tester.qualify.rates import SHEETS, measured
from kernelbot_tester.qualify.figures import Row, table
from kernelbot_tester.qualify.session import Session

SERVE = [sys.executable, "-m", "kernelbot_tester", "serve"]
SHORT: ProblemSpecTimeoutsS = {"prepare": 30, "test": 30, "benchmark": 3, "ranked": 3, "profile": 3}
ONE_CALL = {"benchmarks": [{"duration_us": 1000, "seed": 1}], "timeoutsS": SHORT}
SAXPY = "import torch\ndef custom_kernel(data):\n    torch.add(data[1], data[0], alpha=2.5, out=data[2])\n"
CORE_SHEETS = TESTER.parent / "packages/core/src/machine/hardware.json"


def changed(check: str, files: dict[str, str], **spec: Any) -> Any:
    """Returns a patch of a check's problem with other files, and other parts of its spec."""

    def load(folder: Path) -> dict[str, Any]:
        problem = load_problem(folder)
        return {"spec": {**problem["spec"], **spec}, "files": {**problem["files"], **files}}

    module = importlib.import_module(f"kernelbot_tester.qualify.{check}")
    return mock.patch.object(module, "load_problem", load)


class Broken(unittest.TestCase):
    """Checks with a real tester, which all tests of this class share."""

    session: Session

    @classmethod
    def setUpClass(cls) -> None:
        cls.session = Session(Load(1.0, 0.0, 0.1), time.monotonic() + 90, command=SERVE)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.session.__exit__()

    def setUp(self) -> None:
        self.session.deadline = time.monotonic() + 60

    def test_memory_in_which_an_element_is_lost_is_reported(self) -> None:
        lossy = SAXPY + "    data[2][-1] = 7\n"
        with changed("ipc", {"kernel.py": lossy}):
            (row,) = ipc(self.session)
        self.assertFalse(row.ok)
        self.assertIn("failed (wrong_result)", row.detail)
        self.assertEqual((0, "of 6"), (row.figures[0].value, row.figures[0].unit))
        self.assertIn("/dev/shm", row.fix or "")

    def test_memory_that_a_worker_can_resize_is_reported(self) -> None:
        with mock.patch("kernelbot_tester.qualify.ipc.RESIZED", ["os.truncate(NOTE, open(NOTE, 'w').write('note'))"]):
            (row,) = ipc(self.session)
        self.assertFalse(row.ok)
        self.assertIn("a worker can resize it", row.detail)

    def test_a_clock_that_adds_much_is_reported(self) -> None:
        slow = "import time\ndef custom_kernel(data):\n    time.sleep(data[1] / 1e9 + 5e-4)\n"
        with changed("clock", {"kernel.py": slow}, **ONE_CALL):
            (row,) = clock(self.session)
        self.assertFalse(row.ok)
        self.assertRegex(row.detail, r"the judge's clock adds \d+ us at most")

    def test_a_clock_that_shows_less_than_the_kernel_s_is_reported(self) -> None:
        hasty = "import time\ndef custom_kernel(data):\n    time.sleep(data[1] / 4e9)\n"
        with changed("clock", {"kernel.py": hasty}, **ONE_CALL):
            (row,) = clock(self.session)
        self.assertFalse(row.ok)
        self.assertIn("took less time by the judge's clock than by the kernel's", row.detail)

    def test_a_high_cost_of_judging_is_reported(self) -> None:
        slow = load_problem(PROBLEMS / "saxpy")["files"]["reference.py"].replace(
            "    generator =", "    __import__('time').sleep(0.05)\n    generator ="
        )
        with changed("overhead", {"reference.py": slow}, timeoutsS=SHORT):
            (row,) = overhead(self.session)
        self.assertFalse(row.ok)
        self.assertIn("Stop other work on the machine", row.fix or "")

    def test_scores_that_vary_are_reported(self) -> None:
        # The cases are read with the first of these kernels, and each ranked run uses the next.
        kernels = iter([SAXPY, SAXPY, SAXPY + 20 * SAXPY.splitlines(keepends=True)[-1]])

        def load(_: Path) -> Problem:
            problem = load_problem(PROBLEMS / "saxpy")
            return {**problem, "files": {**problem["files"], "kernel.py": next(kernels)}}

        plain = mock.MagicMock(return_value=Plain([Measured(1.0, 1.0)], "a plain loop"))
        module = "kernelbot_tester.qualify.noise"
        few = mock.patch.multiple(module, FEWEST_RUNS=2, MOST_RUNS=2, load_problem=load, run_plain=plain)
        with few, contextlib.redirect_stderr(io.StringIO()):
            (row,) = noise(self.session)
        self.assertFalse(row.ok)
        self.assertEqual("the same kernel ranked 2 times", row.detail)
        self.assertGreater(row.figures[0].value, 30)


class Time(unittest.TestCase):
    """A check that does not fit in the time is not run, and prevents qualification."""

    def qualify_with(self, run: Any, **patches: Any) -> Qualification:
        checks = {"stuck": Check(run, 1), "next": Check(lambda _: [Row("next", True, "made")], 1)}
        module = mock.patch.multiple("kernelbot_tester.qualify.qualify", CHECKS=checks, **patches)
        with module, contextlib.redirect_stderr(io.StringIO()):
            return qualify(None, list(checks), 1 / 60)

    def test_a_check_that_never_ends_is_interrupted_and_the_next_one_runs(self) -> None:
        found = self.qualify_with(lambda _: threading.Event().wait(), GRACE_S=0)
        (stuck, after) = found["checks"]
        self.assertEqual((None, "not run: it exceeded its time limit"), (stuck["ok"], stuck["detail"]))
        self.assertIn("--minutes", stuck["fix"] or "")
        self.assertTrue(after["ok"])
        self.assertEqual((False, False), (found["ok"], found["qualified"]))
        self.assertEqual("This machine is not qualified yet. Not run: stuck.", found["verdict"])

    def test_kernels_of_the_corpus_that_were_not_run_are_counted_and_do_not_pass(self) -> None:
        kernels = corpus.load_corpus("cpu")
        python = [kernel for kernel in kernels if kernel.language == "py"]
        row = attacks.row(python, python[:3], [])
        self.assertIsNone(row.ok)
        self.assertEqual(("attacks in Python", "not run"), (row.name, row.detail[:7]))
        self.assertEqual(("kernels not run", len(python) - 3), (row.figures[-1].name, row.figures[-1].value))
        self.assertEqual("This machine is not qualified yet. Not run: attacks in Python.", verdict([row], True, "cpu"))
        self.assertTrue(attacks.row(python, python, []).ok)
        self.assertIs(False, attacks.row(python, python[:3], [(python[0], "passed")]).ok)

    def test_the_corpus_has_the_largest_part_of_the_time(self) -> None:
        self.assertEqual("attacks", max(CHECKS, key=lambda name: CHECKS[name].share))


class Verdict(unittest.TestCase):
    """Languages that a machine may rank."""

    def test_without_a_compiler_c_plus_plus_is_not_judged_and_python_may_rank(self) -> None:
        kernels = [
            corpus.Kernel("zeros", "refused", ""),
            corpus.Kernel("honest/compiled", "passed", "# needs: g++\n"),
            corpus.Kernel("aborts", "refused", "", "cpp"),
        ]
        judged = mock.patch.object(attacks, "judge_corpus", lambda _, kernels: [Row(f"{len(kernels)} judged", True, "")])
        both = mock.patch.object(attacks, "load_corpus", lambda _: kernels)
        with mock.patch.multiple(corpus, BUILDERS="/no/compiler", search_path=lambda: "/no/compiler"), judged, both:
            rows = list(attacks.attacks(Session(Load(1.0, 0.0, 0.1), 0.0)))
            sentence = verdict(rows, True, "cpu")
        self.assertEqual(
            [
                "ok  1 judged            ",
                "--  compiled by Python  no compiler: this machine cannot judge Python submissions that compile",
                "                        -> To judge them, install g++ (Debian: apt install g++)",
                "--  attacks in C++      no compiler: this machine cannot judge C++ submissions",
                "                        -> To judge them, install g++ (Debian: apt install g++)",
            ],
            table(rows),
        )
        self.assertEqual("This machine is qualified for ranked submissions in Python; C++ is not supported.", sentence)
        self.assertTrue(document(rows, True, "cpu", sentence)["qualified"])

    def test_a_healthy_machine_may_rank_what_was_judged_on_it(self) -> None:
        rows = [Row("all", True, "well")]
        self.assertIn("Run all checks to qualify this machine", verdict(rows, False, "cpu"))
        with mock.patch.object(corpus.shutil, "which", lambda *_, **__: "/usr/bin/g++"):
            self.assertEqual("This machine is qualified for ranked submissions in Python and C++.", verdict(rows, True, "cpu"))
        self.assertEqual("This machine is qualified for ranked submissions in Python.", verdict(rows, True, "accelerator"))

    def test_failed_checks_and_checks_that_were_not_run_are_named(self) -> None:
        rows = [Row("load", False, "busy"), Row("noise", None, "not run"), Row("clock", True, "fine")]
        self.assertEqual("This machine is not qualified. Failed: load. Not run: noise.", verdict(rows, True, "cpu"))


class WithoutPyTorch(unittest.TestCase):
    """The qualification without the rest of the repository."""

    def test_the_data_sheets_are_those_of_the_boards(self) -> None:
        self.assertEqual(CORE_SHEETS.read_text("utf-8"), SHEETS.read_text("utf-8"))

    def test_a_device_that_could_not_be_measured_is_reported(self) -> None:
        self.assertFalse(measured("device", None, None).ok)

    def test_a_python_without_pytorch_gets_a_table_that_reports_it(self) -> None:
        # -S: without the folders in which packages are installed.
        command = [sys.executable, "-S", "-m", "kernelbot_tester.qualify", "--only", "needs", "--device", "cpu"]
        done = subprocess.run(command, cwd=TESTER, capture_output=True, text=True)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"NOT torch .* does not have it")
        self.assertIn("https://pytorch.org/get-started/locally says the command", done.stdout)


if __name__ == "__main__":
    unittest.main()
