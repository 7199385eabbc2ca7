"""Qualifying a machine: the results for a healthy machine and for faulty ones, and their messages."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from fake_device import SERVE as SERVE_FAKE_DEVICE
from fake_device import shared_fake_device
from fake_device.serve import FoundFakeDevice
from support import RIGHT, TESTER, descendants, wait_until_gone

from kernelbot_tester.device.telemetry import Reading
from kernelbot_tester.qualify.accelerators import Use, clock_row, shared_by_driver, use_row
from kernelbot_tester.qualify.attacks import judge_corpus
from kernelbot_tester.qualify.clock import compared_with_events, judged as judged_clock, last_line
from kernelbot_tester.qualify.corpus import ATTACKS, Kernel, is_right, load_corpus
from kernelbot_tester.qualify.devices import cores, governor, load_row
from kernelbot_tester.qualify.ipc import SIZES
from kernelbot_tester.qualify.isolation import isolation
from kernelbot_tester.qualify.load import Load, measure_load
from kernelbot_tester.qualify.noise import Measured, row as noise_row
from kernelbot_tester.qualify.qualify import qualify
from kernelbot_tester.qualify.rates import data_sheet, measured
from kernelbot_tester.qualify.figures import Figure, Row, table
from kernelbot_tester.qualify.session import Session
from kernelbot_tester.qualify.tester import NoTester, Tester
from kernelbot_tester.worker.driver_choice import DriverChoice

SERVE = [sys.executable, "-m", "kernelbot_tester", "serve"]
COMMAND = [sys.executable, "-m", "kernelbot_tester.qualify"]
QUIET, LOADED = Load(1.0, 0.0, 0.1), Load(80.0, 0.0, 4.0)
PRODUCT = "import torch\ndef custom_kernel(data):\n    torch.mm(data[0], data[1], out=data[2])\n"
WRONG = "def custom_kernel(data):\n    data[2].zero_()\n"


def session(*arguments: str, seconds: float = 90) -> Session:
    """Returns a session with its own tester."""
    return Session(QUIET, time.monotonic() + seconds, command=[*SERVE, *arguments])


class Command(unittest.TestCase):
    def test_a_healthy_machine_is_found_healthy_in_one_document(self) -> None:
        # From a copy without any build output, as on a machine with a new installation.
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            os.chmod(folder, 0o755)
            skipped = shutil.ignore_patterns("build", "__pycache__", "node_modules")
            shutil.copytree(TESTER, f"{folder}/tester", ignore=skipped)
            done = subprocess.run(
                [*COMMAND, "--json", "--only", "isolation,ipc,rates", "--minutes", "2"],
                cwd=f"{folder}/tester",
                env={"PATH": os.environ["PATH"], "HOME": folder},
                capture_output=True,
                text=True,
            )
        self.assertEqual(0, done.returncode, done.stderr + done.stdout)
        document = json.loads(done.stdout)
        self.assertEqual((True, False, "cpu"), tuple(document[key] for key in ("ok", "qualified", "device")))
        self.assertEqual("bubblewrap", document["machine"]["sandbox"])
        names = ["isolation", "shared memory", "processor's rates"]
        self.assertEqual([(name, True, None) for name in names], [short_row(check) for check in document["checks"]])
        self.assertRegex(done.stderr, r"\d s  isolation\n")

    def test_a_machine_without_a_compiler_gets_the_command_that_installs_it(self) -> None:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            shutil.copytree(TESTER / "kernelbot_tester", f"{folder}/tester/kernelbot_tester")
            shutil.copytree(TESTER / "native", f"{folder}/tester/native", ignore=shutil.ignore_patterns("build"))
            os.mkdir(f"{folder}/bin")
            done = subprocess.run(
                [*COMMAND, "--only", "isolation", "--minutes", "1"],
                cwd=f"{folder}/tester",
                env={"PATH": f"{folder}/bin", "HOME": folder},
                capture_output=True,
                text=True,
            )
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertIn("NOT isolation  not checked: no C compiler was found: install gcc", done.stdout)
        self.assertIn("This machine is not qualified", done.stdout)

    def test_ctrl_c_ends_it_and_leaves_nothing(self) -> None:
        process = subprocess.Popen([*COMMAND, "--only", "noise"], cwd=TESTER, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        while "noise" not in process.stderr.readline():
            pass
        while not descendants(process.pid):
            os.sched_yield()
        started = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        self.assertEqual(130, process.wait(20))
        self.assertIn("no process is left running", process.stderr.read())
        process.stderr.close()
        wait_until_gone(started)

    def test_a_check_that_does_not_exist_is_refused_with_those_that_do(self) -> None:
        done = subprocess.run([*COMMAND, "--only", "luck"], cwd=TESTER, capture_output=True, text=True)
        self.assertEqual(2, done.returncode)
        self.assertIn("unknown check luck; use needs, devices", done.stderr)

    def test_a_time_limit_that_is_too_short_is_refused(self) -> None:
        done = subprocess.run([*COMMAND, "--minutes", "0.5"], cwd=TESTER, capture_output=True, text=True)
        self.assertEqual(2, done.returncode)
        self.assertIn("--minutes 0.5: use a number from 1 to 120", done.stderr)


def ended(judgement: dict) -> tuple[Kernel, list[Any]]:
    """Returns a kernel of the corpus, and events with this result."""
    speedup = judgement.get("speedup")
    verdict = judgement.get("verdict", "failed" if speedup is None else "passed")
    events: list[Any] = [{"type": "verdict", "verdict": verdict, "failureClass": judgement.get("failureClass")}]
    if speedup is not None:
        rounds = [{"candidateNs": [100], "referenceNs": [100 * speedup]}]
        events.insert(0, {"type": "case_finished", "stage": "benchmark", "rounds": rounds})
    return Kernel("attack", judgement["expect"], RIGHT, judgement["language"]), events


def short_row(check: dict) -> tuple[str, bool, str | None]:
    """Returns a short form of a row of the document."""
    return check["name"], check["ok"], check["fix"]


class JudgedRuns(unittest.TestCase):
    """Checks with a real tester."""

    def test_a_sandbox_that_is_not_effective_is_reported_with_the_escapes(self) -> None:
        with session("--unsafe-no-sandbox") as unsafe:
            (row,) = isolation(unsafe)
        self.assertFalse(row.ok)
        self.assertIn("see the tester's files; see /etc/passwd", row.detail)
        self.assertIn("open a socket", row.detail)
        self.assertIn("Do not rank here", row.fix or "")

    def test_kernels_with_an_unexpected_verdict_are_named(self) -> None:
        corpus = [
            Kernel("forged", "refused", PRODUCT),
            Kernel("honest/strict", "passed", WRONG),
            Kernel("zeros", "refused", WRONG),
            Kernel("honest/product", "passed", PRODUCT),
        ]
        with session() as healthy:
            (row,) = judge_corpus(healthy, corpus)
        self.assertFalse(row.ok)
        self.assertEqual([("of 2", 1), ("of 2", 1)], [(figure.unit, figure.value) for figure in row.figures])
        self.assertIn("forged (expected refused): passed", row.detail)
        self.assertIn("honest/strict (expected passed): failed (wrong_result): benchmark case 1", row.detail)
        self.assertNotIn("zeros", row.detail)

    def test_a_run_that_takes_too_long_is_cancelled_and_the_tester_continues(self) -> None:
        with session() as slow:
            slow.tester()
            slow.deadline = time.monotonic() + 2
            endless = Kernel("endless", "refused", "while True: pass")
            (row,) = judge_corpus(slow, [endless])
            self.assertEqual((None, "not run: the time limit sufficed for 0 of 1 kernels, in random order"), (row.ok, row.detail))
            slow.deadline = time.monotonic() + 60
            (row,) = judge_corpus(slow, [Kernel("zeros", "refused", WRONG)])
            self.assertTrue(row.ok)

    def test_a_tester_that_ends_or_does_not_answer_is_reported(self) -> None:
        with self.assertRaisesRegex(NoTester, "the tester has ended: no way"):
            Tester([sys.executable, "-c", "import sys; sys.exit('no way')"])

    def test_checks_that_need_a_tester_report_why_there_is_none_and_start_it_once(self) -> None:
        refused = "print('{\"type\": \"refused\", \"reason\": \"no sandbox\"}')"
        with contextlib.redirect_stderr(io.StringIO()):
            document = qualify(None, ["isolation", "clock"], 1, [sys.executable, "-c", refused])
        self.assertEqual([False, False], [check["ok"] for check in document["checks"]])
        self.assertEqual({"not checked: no sandbox"}, {check["detail"] for check in document["checks"]})
        self.assertFalse(document["ok"] or document["qualified"])

    def test_every_kernel_of_the_corpus_declares_its_expected_result(self) -> None:
        corpus = load_corpus("cpu")
        self.assertEqual({"refused", "not built", "no advantage", "passed"}, {kernel.expect for kernel in corpus})


class Accelerators(unittest.TestCase):
    """Checks of an accelerator, with a fake device."""

    def test_the_driver_functions_of_judge_and_worker_are_exercised(self) -> None:
        device = shared_fake_device()
        found = FoundFakeDevice(device.choice, [], [device.node], [device.library])
        command = [sys.executable, str(SERVE_FAKE_DEVICE), device.library, device.node, "cu"]
        sizes = mock.patch.dict(SIZES, accelerator=[1, 3, 4097])
        with sizes, contextlib.redirect_stderr(io.StringIO()):
            document = qualify(found, ["isolation", "ipc"], 2, command)
        self.assertEqual("cuda", document["device"])
        self.assertEqual(
            [("isolation", True), ("driver", True), ("shared memory", True)],
            [(check["name"], check["ok"]) for check in document["checks"]],
            document["checks"],
        )
        self.assertIn("this process reads the bytes that another one wrote", document["checks"][1]["detail"])

    def test_a_driver_failure_is_reported_with_the_failed_call(self) -> None:
        nothing = FoundFakeDevice(DriverChoice("/no/driver.so", "cu", "cpu"), [], [], [])
        (row,) = shared_by_driver(nothing)
        self.assertFalse(row.ok)
        self.assertIn("the device opens: NotJudged: the judge cannot open the accelerator: /no/driver.so", row.detail)

    def test_a_device_that_is_shared_or_throttled_fails(self) -> None:
        self.assertTrue(use_row(0, Use(0.0, 4.0)).ok)
        self.assertEqual("in use by other processes", use_row(0, Use(97.0, 4.0)).detail)
        self.assertFalse(use_row(0, Use(0.0, 30_000.0)).ok)
        throttled = clock_row(0, Reading(sm_mhz=1980), Reading(sm_mhz=1200, throttled=("power brake",)))
        self.assertEqual((False, "throttled: power brake"), (throttled.ok, throttled.detail))

    def test_a_clock_that_is_equal_when_idle_and_busy_is_fixed(self) -> None:
        self.assertIn("; fixed", clock_row(0, Reading(sm_mhz=1500), Reading(sm_mhz=1500)).detail)
        self.assertIn("not fixed: a clock fixed by nvidia-smi -lgc", clock_row(0, Reading(sm_mhz=345), Reading(sm_mhz=1980)).detail)
        self.assertIn("unknown whether the clock is fixed", clock_row(0, Reading(sm_mhz=345), None).detail)

    def test_the_judge_s_time_is_compared_with_device_events(self) -> None:
        measured = {20: [21.0], 100: [101.0, 101.0], 1000: [1001.0]}
        close = compared_with_events(measured, last_line('calibrated\n{"20": 20.0, "100": 100.0, "1000": 1000.0}\n{"20'))
        self.assertEqual((True, "judge and events are +1.0 % apart at 100 us, within the goal of 2 %"), (close.ok, close.detail))
        far = compared_with_events({**measured, 100: [120.0]}, {"20": 20.0, "100": 100.0, "1000": 1000.0})
        self.assertFalse(far.ok)
        self.assertIn("measured no kernel of 20 us", compared_with_events(measured, {}).detail)


class Rows(unittest.TestCase):
    """Rows computed from measurements."""

    def test_a_clock_that_adds_little_passes_and_one_that_adds_much_fails(self) -> None:
        self.assertTrue(judged_clock({0: [30, 31, 500], 100: [131, 130, 140], 10_000: [17_000, 18_000, 19_000]}).ok)
        slow = judged_clock({0: [30], 1000: [1900]})
        self.assertIn("adds 900 us at most", slow.detail)
        self.assertFalse(slow.ok)

    def test_calls_shorter_by_the_judge_s_clock_than_by_the_kernel_s_fail(self) -> None:
        row = judged_clock({0: [30], 1000: [1000.5, 950]})
        self.assertIn("1 calls took less time by the judge's clock than by the kernel's, by up to 50.0 us", row.detail)
        self.assertFalse(row.ok)

    def test_noisy_scores_and_a_loaded_machine_fail(self) -> None:
        steady = [Measured(1000 + turn, 1.0) for turn in range(5)]
        scattered = [Measured(1000 + 100 * turn, 1.0) for turn in range(5)]
        self.assertTrue(noise_row(steady, scattered, quiet=True, by="a plain loop").ok)
        self.assertFalse(noise_row(scattered, steady, quiet=True, by="a plain loop").ok)
        loaded = noise_row(steady, steady, quiet=False, by="a plain loop")
        self.assertIn("loaded at the start", loaded.detail)
        self.assertFalse(loaded.ok)
        few = noise_row(steady[:1], steady[:1], quiet=True, by="a plain loop")
        self.assertEqual((None, "not run: the time limit sufficed for 1 ranked runs"), (few.ok, few.detail[:50]))

    def test_a_loaded_machine_is_reported_before_anything_is_measured(self) -> None:
        self.assertTrue(load_row(QUIET).ok)
        self.assertIn("noise cannot be qualified under load", load_row(LOADED).detail)
        self.assertFalse(Load(0.0, 5.0, 0.0).quiet)
        self.assertTrue(0 <= measure_load(0.01).busy <= 100)

    def test_a_judge_that_shares_a_core_with_kernels_is_moved_where_there_is_another(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            topology = Path(folder, "cpu0/topology")
            topology.mkdir(parents=True)
            Path(topology, "thread_siblings_list").write_text("0,4\n")
            shared = cores(0, [1, 2, 4], Path(folder))
            self.assertFalse(shared.ok)
            self.assertIn("taskset -c 0-2", shared.fix or "")
            self.assertTrue(cores(0, [4], Path(folder)).ok)
            self.assertTrue(cores(0, [1, 2], Path(folder)).ok)
        self.assertFalse(cores(None, [0]).ok)

    def test_a_governor_that_saves_power_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(governor(Path(folder)).ok)
            frequency = Path(folder, f"cpu{min(os.sched_getaffinity(0))}/cpufreq")
            frequency.mkdir(parents=True)
            Path(frequency, "scaling_governor").write_text("powersave\n")
            self.assertEqual((False, "governor powersave"), (governor(Path(folder)).ok, governor(Path(folder)).detail))

    def test_a_device_far_below_its_data_sheet_is_named(self) -> None:
        sheet = data_sheet("NVIDIA L4")
        self.assertIsNotNone(sheet)
        well = measured("device", {"memoryBytesPerS": 2.4e11, "operationsPerS": 5e13}, sheet)
        self.assertEqual((True, 80.0), (well.ok, round(well.figures[2].value)))
        ill = measured("device", {"memoryBytesPerS": 2.4e10, "operationsPerS": 5e13}, sheet)
        self.assertIn("far below its data sheet", ill.detail)
        self.assertFalse(ill.ok)
        self.assertTrue(measured("device", {"memoryBytesPerS": 1e9, "operationsPerS": None}, data_sheet("Abacus")).ok)

    def test_an_expected_verdict_is_the_one_that_the_corpus_declares(self) -> None:
        # The same cases are tested in TypeScript: tester/attacks/attacks.test.ts.
        for judgement in json.loads((ATTACKS / "corpus.json").read_text("utf-8"))["judgements"]:
            with self.subTest(**judgement):
                self.assertEqual(judgement["right"], is_right(*ended(judgement), "cpu"))

    def test_on_an_accelerator_an_attack_without_advantage_may_be_refused_as_well(self) -> None:
        refused = {"expect": "no advantage", "language": "py", "failureClass": "wrong_result"}
        self.assertTrue(is_right(*ended(refused), "accelerator"))
        self.assertFalse(is_right(*ended({**refused, "verdict": "infra_error"}), "accelerator"))

    def test_the_table_shows_the_fix_of_each_failed_check(self) -> None:
        rows = [Row("a", True, "fine", "unused", [Figure("took", 1234.5, "us")]), Row("long", False, "bad", "Fix it")]
        self.assertEqual(
            ["ok  a     fine", "          took 1234 us", "NOT long  bad", "          -> Fix it"], table(rows)
        )


if __name__ == "__main__":
    unittest.main()
