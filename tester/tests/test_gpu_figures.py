"""The figures of `npm run bench -- gpu`: their values and comparisons, and that there are none without a device."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import time
import unittest
from typing import Any
from unittest import mock

from fake_device import SERVE, shared_fake_device
from fake_device.serve import FoundFakeDevice
from support import TESTER
from test_accelerator import kernel

from kernelbot_tester.messages import Case
from kernelbot_tester.qualify.gpu import cases_of, clock_figures, repeatability
from kernelbot_tester.qualify.jobs import PROBLEMS, load_problem
from kernelbot_tester.qualify.load import Load
from kernelbot_tester.qualify.noise import Measured
from kernelbot_tester.qualify.session import Session

#: Occupies the device for the given time, and reports exactly that time as measured by events.
WAITS = """place = ctypes.c_uint64
    number, result = place(data[0].data_ptr()), place(data[2].data_ptr())
    library.fake_device_add(0, number, number, result, place(1), place(data[1]), 0)
    print('{"20": 20.0, "100": 100.0, "1000": 1000.0}', flush=True)"""


def session() -> Session:
    """Returns a session on the fake device."""
    device = shared_fake_device()
    command = [sys.executable, str(SERVE), device.library, device.node, "cu"]
    found = FoundFakeDevice(device.choice, [], [device.node], [device.library])
    return Session(Load(1.0, 0.0, 0.1), time.monotonic() + 120, found, command)


class Figures(unittest.TestCase):
    def test_kernels_of_known_times_are_compared_with_the_device_s_events(self) -> None:
        waiting = load_problem(PROBLEMS / "waiting")
        # One of the three cases is enough for this test.
        waiting["spec"]["targets"]["accelerator"]["benchmarks"] = [{"duration_us": 1000, "seed": 1}]
        with session() as fake_device, mock.patch("kernelbot_tester.qualify.clock.load_problem", return_value=waiting):
            judged, apart = clock_figures(fake_device, kernel(WAITS))
        self.assertEqual(("kernel of 1000 us, judged", "us"), (judged.name, judged.unit))
        self.assertEqual(("by device events", 1000.0), (judged.peer, judged.peerValue))
        self.assertGreaterEqual(judged.value, 1000, "no kernel took less than requested")
        self.assertEqual(("kernel of 1000 us, apart", "%", None), (apart.name, apart.unit, apart.peer))
        self.assertAlmostEqual(100 * (judged.value / 1000 - 1), apart.value)

    def test_scores_of_several_runs_are_compared_with_a_named_loop(self) -> None:
        ranked = mock.patch(
            "kernelbot_tester.qualify.gpu.rank",
            side_effect=[[Measured(90e3, 1.0), Measured(4e6, 1.0)], [Measured(110e3, 1.0), Measured(4e6, 1.0)]],
        )
        cases: list[Case] = [{"size": 100, "seed": 1}, {"size": 1000, "seed": 2}]
        with session() as fake_device, ranked, contextlib.redirect_stderr(io.StringIO()):
            found = list(repeatability(fake_device, cases, runs=2))
        self.assertEqual(
            [
                ("saxpy of 100, score", "us", 100.0),
                ("saxpy of 100, score varies by", "%", 14.1),
                ("saxpy of 1000, score", "us", 4000.0),
                ("saxpy of 1000, score varies by", "%", 0.0),
            ],
            [(one.name, one.unit, round(one.value, 1)) for one in found],
        )
        self.assertEqual({"a loop of do_bench's design"}, {one.peer for one in found}, "there is no Triton here")
        self.assertTrue(all(one.peerValue for one in found), found)

    def test_a_run_that_does_not_pass_gives_no_figure(self) -> None:
        failed = mock.patch("kernelbot_tester.qualify.gpu.rank", return_value="infra_error: it fell off the bus")
        with session() as fake_device, failed, contextlib.redirect_stderr(io.StringIO()):
            with self.assertRaisesRegex(RuntimeError, "fell off the bus"):
                list(repeatability(fake_device, [{"size": 100, "seed": 1}], runs=2))

    def test_the_lengths_of_the_vectors_follow_from_the_device_s_rate(self) -> None:
        machine: Any = {"accelerators": [{"measured": {"memoryBytesPerS": 3e12, "operationsPerS": None}}]}
        self.assertEqual([5_000_000, 25_000_000, 250_000_000], [case["size"] for case in cases_of(machine)])
        unmeasured: list[Any] = [{"accelerators": []}, {"accelerators": [{"measured": None}]}]
        for machine in unmeasured:
            with self.assertRaisesRegex(RuntimeError, "could not measure the device's memory rate"):
                cases_of(machine)

    @unittest.skipIf(os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/kfd"), "there is one")
    def test_without_an_accelerator_the_output_is_a_reason_without_figures(self) -> None:
        command = [sys.executable, "-m", "kernelbot_tester.qualify.gpu"]
        done = subprocess.run(command, cwd=TESTER, capture_output=True, text=True)
        self.assertEqual((0, ["nothing"]), (done.returncode, list(json.loads(done.stdout))), done.stderr)
        self.assertIn("install one for the accelerator", json.loads(done.stdout)["nothing"])


if __name__ == "__main__":
    unittest.main()
