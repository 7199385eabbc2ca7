"""The judge's decisions about an accelerator as pure functions: accepted times, withheld lines, marked rounds."""

from __future__ import annotations

import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401  makes the tester importable
import numpy

from kernelbot_tester.device.bounds import Overhead, Timed, accepted_ns
from kernelbot_tester.device.canaries import LINE_BYTES, LINES, choose_lines
from kernelbot_tester.device.find import NoAccelerator, build_of, find_library, refuse_shared_service
from kernelbot_tester.device.telemetry import AmdSensors, Nvml, Reading, marks, together
from kernelbot_tester.failures import Failed
from kernelbot_tester.stages.burst import least_ns


def learned(*ways_ns: float) -> Overhead:
    """Returns the overhead learned from calls of a reference of 50 us with these overheads."""
    overhead = Overhead()
    for way_ns in ways_ns:
        overhead.learn(Timed(50_000 + int(way_ns), 50_000.0))
    return overhead


class Bounds(unittest.TestCase):
    """Calls that take 100 us on the device and have an overhead of 20 us; so is the reference's, at the median."""

    WAY = learned(*[20_000] * 18, 25_000, 25_000)

    def accepted(self, device_ns: float, host_ns: int = 120_000) -> int:
        return accepted_ns([Timed(host_ns, device_ns)], self.WAY)[0]

    def test_an_honest_device_time_counts(self) -> None:
        self.assertEqual(100_000, self.accepted(100_000.0))

    def test_a_device_time_that_is_too_short_is_raised_by_the_overhead_of_the_reference(self) -> None:
        for lie in (90_000.0, 50_000.0, 1.0, 1e-300, 0.0):
            with self.subTest(lie):
                self.assertEqual(90_000, self.accepted(lie))

    def test_a_device_time_longer_than_the_judges_is_rejected(self) -> None:
        for lie in (123_000.0, 240_000.0, 1e300, math.inf):
            with self.subTest(lie), self.assertRaisesRegex(Failed, "by the judge's clock"):
                self.accepted(lie)

    def test_a_negative_device_time_is_rejected(self) -> None:
        for lie in (-1.0, -1e300, -math.inf):
            with self.subTest(lie), self.assertRaises(Failed):
                self.accepted(lie)

    def test_without_a_device_time_the_judges_time_counts(self) -> None:
        self.assertEqual(120_000, self.accepted(math.nan))

    def test_the_tolerance_of_the_clocks_is_neither_rejected_nor_a_gain(self) -> None:
        self.assertEqual(120_000, self.accepted(121_900.0))

    def test_a_call_shorter_than_the_overhead_still_has_a_positive_time(self) -> None:
        self.assertEqual(1, self.accepted(0.0, host_ns=20_000))
        self.assertEqual(1, self.accepted(math.nan, host_ns=0))

    def test_before_the_reference_was_called_nothing_is_subtracted(self) -> None:
        self.assertEqual([120_000], accepted_ns([Timed(120_000, 0.0)], Overhead()))

    def test_times_of_the_reference_are_those_of_its_device(self) -> None:
        calls = [Timed(120_000, 100_000.0), Timed(121_000, 100_000.0), Timed(119_000, 100_000.0)]
        overhead = learned(20_000, 21_000, 19_000)
        self.assertEqual([100_000] * 3, accepted_ns(calls, overhead))

    def test_a_round_without_calls_has_no_times(self) -> None:
        self.assertEqual([], accepted_ns([], Overhead()))

    def test_one_interrupted_call_of_the_reference_does_not_raise_the_subtracted_overhead(self) -> None:
        overhead = learned(*[20_000] * 20, 9_000_000)
        self.assertEqual(30_000, overhead.most_ns())

    def test_clock_steps_and_missing_times_leave_the_overhead_plausible(self) -> None:
        overhead = learned(-900)
        self.assertEqual(0, overhead.most_ns())
        overhead.learn(Timed(50_000, math.nan))
        self.assertEqual(1, len(overhead.seen))


class Bursts(unittest.TestCase):
    """Bursts of 100 calls. That of the reference took 10 ms by its events, and 0.5 ms more by the judge's clock."""

    REFERENCE = Timed(10_500_000, 10_000_000.0)

    def test_most_of_the_judges_time_counts(self) -> None:
        self.assertEqual(53_200, least_ns(Timed(6_500_000, 1.0), self.REFERENCE, 100))

    def test_a_kernel_much_shorter_than_the_way_has_no_bound(self) -> None:
        self.assertEqual(0, least_ns(Timed(890_000, 1.0), self.REFERENCE, 100))

    def test_without_times_of_the_reference_nothing_is_known(self) -> None:
        self.assertEqual(0, least_ns(Timed(6_500_000, 1.0), Timed(10_500_000), 100))


class Canaries(unittest.TestCase):
    def choose(self, extents: list[tuple[int, int]], seed: int = 1) -> list[int]:
        return choose_lines(extents, numpy.random.default_rng(seed)).tolist()

    def test_random_lines_of_all_inputs_are_withheld(self) -> None:
        lines = self.choose([(0, 1 << 20), (1 << 20, 1 << 20)])
        self.assertEqual(LINES, len(set(lines)))
        self.assertTrue(0 <= min(lines) < 1 << 13 <= max(lines) < 1 << 14)
        self.assertNotEqual(lines, self.choose([(0, 1 << 20), (1 << 20, 1 << 20)], seed=2))

    def test_a_small_input_is_withheld_completely(self) -> None:
        self.assertEqual([0, 1, 32], self.choose([(0, LINE_BYTES + 1), (4096, 4)]))

    def test_gaps_between_inputs_are_not_withheld(self) -> None:
        lines = self.choose([(0, 4), (1 << 20, 100 * LINE_BYTES)])
        self.assertTrue(all(line == 0 or 8192 <= line < 8292 for line in lines))

    def test_without_inputs_nothing_is_withheld(self) -> None:
        self.assertEqual([], self.choose([]))
        self.assertEqual([], self.choose([(0, 0)]))


class Telemetry(unittest.TestCase):
    def test_a_round_that_was_throttled_is_marked_with_the_reason(self) -> None:
        rounds = [Reading(sm_mhz=1980), Reading(sm_mhz=1980, throttled=("power brake",))]
        self.assertEqual([None, "power brake"], marks(rounds))

    def test_a_round_at_a_lower_clock_than_its_siblings_is_marked(self) -> None:
        clocks = [1980, 1980, 1880, 1882, 1980]
        self.assertEqual(
            [None, None, "1880 MHz, where rounds have 1980 MHz", None, None], marks([Reading(sm_mhz=c) for c in clocks])
        )

    def test_rounds_without_readings_are_not_marked(self) -> None:
        self.assertEqual([None, None, None], marks([None, Reading(), Reading(sm_mhz=100)]))

    def test_readings_of_a_round_are_combined_to_the_worst(self) -> None:
        readings = [Reading(1980, 2619, 60, 400.0), Reading(1700, None, 71, 650.0, ("hardware slowdown",))]
        self.assertEqual(Reading(1700, 2619, 71, 650.0, ("hardware slowdown",)), together(readings))
        self.assertIsNone(together([]))

    def test_sensors_of_amd_devices_are_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            sensors = Path(folder) / "renderD129" / "device" / "hwmon" / "hwmon3"
            sensors.mkdir(parents=True)
            for name, text in {"freq1_input": "2100000000", "temp1_input": "45000", "power1_average": "x"}.items():
                (sensors / name).write_text(text + "\n")
            self.assertEqual(Reading(2100, None, 45, None), AmdSensors(129, Path(folder)).read())
            with self.assertRaisesRegex(OSError, "no sensors of renderD128"):
                AmdSensors(128, Path(folder))


#: The part of NVIDIA's management library that is used.
NVML = """
typedef unsigned long long u64;
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) { *device = (void *)1; return index == 3 ? 0 : 2; }
int nvmlDeviceGetHandleByUUID(const char *name, void **device) { *device = (void *)1; return name[0] == 'G' ? 0 : 2; }
int nvmlDeviceGetPowerUsage(void *device, unsigned *mw) { *mw = 412500; return device ? 0 : 1; }
int nvmlDeviceGetClockInfo(void *device, unsigned kind, unsigned *mhz) { *mhz = kind * 1000; return 0; }
int nvmlDeviceGetTemperature(void *device, unsigned sensor, unsigned *c) { return 3; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, u64 *bits) { *bits = 0x84 + (1ull << 40); return 0; }
int nvmlDeviceGetComputeMode(void *device, unsigned *mode) { *mode = 3; return 0; }
int nvmlDeviceGetMinorNumber(void *device, unsigned *minor) { *minor = 5; return 0; }
int nvmlDeviceGetUUID(void *device, char *name, unsigned size) { name[0] = 'G'; name[1] = 0; return 0; }
"""


class Nvidia(unittest.TestCase):
    def test_sensors_of_nvidia_devices_are_functions(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "nvml.c").write_text(NVML)
            library = f"{folder}/libnvidia-ml.so"
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library, f"{folder}/nvml.c"], check=True)
            device = Nvml("3", library)
            self.assertEqual(Reading(1000, 2000, None, 412.5, ("power brake",)), device.read())
            self.assertEqual((5, "G", True), (device.minor(), device.uuid(), device.is_exclusive()))
            self.assertEqual("G", Nvml("GPU-1234", library).uuid())
            # Since CUDA 12 the function of the throttle reasons has another name; here the function of the power is
            # missing, too.
            newer = NVML.replace("ThrottleReasons", "EventReasons").replace("nvmlDeviceGetPowerUsage", "unknown")
            (Path(folder) / "nvml.c").write_text(newer)
            subprocess.run(["cc", "-shared", "-fPIC", "-o", f"{library}.2", f"{folder}/nvml.c"], check=True)
            self.assertEqual(Reading(1000, 2000, None, None, ("power brake",)), Nvml("3", f"{library}.2").read())
            for name in ("4", "MIG"):
                with self.assertRaisesRegex(OSError, f"no device {name}"):
                    Nvml(name, library)

    def test_the_kind_of_accelerator_is_the_one_that_pytorch_was_built_for(self) -> None:
        self.assertEqual(("cu", "12.8"), build_of("cuda: Optional[str] = '12.8'\nhip: Optional[str] = None\n"))
        self.assertEqual(("hip", "6.4.43483"), build_of("cuda = None\nhip = '6.4.43483'\n"))
        self.assertIsNone(build_of("cuda = None\nhip = None\n"))

    def test_a_library_is_found_where_the_loader_finds_it(self) -> None:
        path, listed_by_loader = find_library("libc.so.6")
        assert path is not None
        self.assertEqual(("libc.so.6", True), (os.path.basename(path), listed_by_loader))
        self.assertEqual((None, False), find_library("libof-no-driver.so.1"))


class Machines(unittest.TestCase):
    def test_a_machine_where_kernels_of_two_processes_share_the_device_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            refuse_shared_service(Path(folder))
            (Path(folder) / "17").mkdir()
            (Path(folder) / "17" / "comm").write_text("nvidia-cuda-mps-control"[:15] + "\n")
            with self.assertRaisesRegex(NoAccelerator, "multi-process service"):
                refuse_shared_service(Path(folder))


if __name__ == "__main__":
    unittest.main()
