"""The driver of an accelerator, CUDA's and HIP's, tested with a fake device: the calls, and the use of their results."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from fake_device import FakeDevice
from fake_device.serve import FoundFakeDevice
from support import RIGHT
from test_accelerator import on_device

from kernelbot_tester import messages
from kernelbot_tester.device.accelerator import Accelerator, DeviceMemory
from kernelbot_tester.device.caches import cache_bytes, last_level_bytes
from kernelbot_tester.device.description import Described, describe
from kernelbot_tester.device.find import amd_devices
from kernelbot_tester.device.kfd import kfd_devices
from kernelbot_tester.device.machine import compute_capability, describe_machine
from kernelbot_tester.qualify.accelerators import Use, shared_by_driver, sharing_row, uses
from kernelbot_tester.worker.driver import LARGE_PAGE, Driver
from kernelbot_tester.worker.driver_calls import DriverError
from kernelbot_tester.worker.driver_choice import DriverChoice
from kernelbot_tester.worker.memory import SharedDevice

MIB = 1 << 20


class FakeDeviceTest(unittest.TestCase):
    def fake_device(self, *more: str, api: str = "cu") -> FakeDevice:
        """Returns a fake device that belongs to this test."""
        device = FakeDevice(*more, api=api)
        self.addCleanup(device.close)
        return device

    def found_device(self, device: FakeDevice) -> FoundFakeDevice:
        """Returns the fake device as found by a tester."""
        return FoundFakeDevice(device.choice, [], [device.node], [device.library])


class Hip(FakeDeviceTest):
    def test_a_tester_judges_by_hip_as_it_does_by_cuda(self) -> None:
        device = self.fake_device("-DAS_HIP=60342131", api="hip")
        tester = device.tester()
        self.addCleanup(tester.close)
        self.assertEqual("passed", tester.run(on_device(RIGHT, "benchmark"))[-1]["verdict"])
        self.assertEqual("HIP 6.3", tester.first["machine"]["runtime"])

    def test_before_hip_7_1_a_file_is_passed_by_the_address_of_its_number(self) -> None:
        (row,) = shared_by_driver(self.found_device(self.fake_device("-DAS_HIP=60342131", api="hip")))
        self.assertTrue(row.ok, row.detail)
        self.assertIn("this process reads the bytes that another one wrote", row.detail)

    def test_from_hip_7_1_on_a_file_is_passed_by_its_number(self) -> None:
        (row,) = shared_by_driver(self.found_device(self.fake_device("-DAS_HIP=70100000", api="hip")))
        self.assertTrue(row.ok, row.detail)
        self.assertIn("this process reads the bytes that another one wrote", row.detail)


class Memory(FakeDeviceTest):
    def test_memory_is_in_large_pages_whatever_granularity_the_driver_reports(self) -> None:
        driver = Driver(self.fake_device().choice)
        memory = DeviceMemory(driver, 1)
        self.assertEqual((LARGE_PAGE, 0), (memory.size, memory.address % LARGE_PAGE))
        memory.close()

    def test_memory_that_could_not_be_mapped_is_released(self) -> None:
        device = self.fake_device()
        driver = Driver(device.choice)
        reason = r"cuMemSetAccess failed with error 1 \(CUDA_ERROR_INVALID_VALUE\)"

        def held() -> tuple[int, int, str]:
            maps = Path("/proc/self/maps").read_text().count(device.node)
            return device.driver.fake_device_held(), len(os.listdir("/proc/self/fd")), str(maps)

        before = held()
        with mock.patch("kernelbot_tester.worker.driver.READ_WRITE", 1):
            with self.assertRaisesRegex(DriverError, reason):
                DeviceMemory(driver, MIB)
        self.assertEqual(before, held())

    def test_an_error_has_the_name_that_the_driver_gives_it(self) -> None:
        hip = Driver(self.fake_device("-DAS_HIP=60342131", api="hip").choice)
        with self.assertRaisesRegex(DriverError, r"hipMemCreate failed with error 1 \(hipErrorInvalidValue\)"):
            hip.create(1)
        cuda = Driver(self.fake_device().choice)
        with self.assertRaisesRegex(DriverError, r"cuMemCreate failed with error 2 \(unknown\)"):
            cuda.create(1 << 40)

    def test_a_driver_that_lacks_a_call_is_named_with_it(self) -> None:
        with mock.patch.dict("kernelbot_tester.worker.driver_calls.CALLS", init=("cuInitInstead", None, [])):
            with self.assertRaisesRegex(DriverError, "libfake_device.so has no cuInitInstead: install a newer driver"):
                Driver(self.fake_device().choice)


    def test_memory_of_another_process_is_released_after_its_mapping(self) -> None:
        device = self.fake_device("-DAS_HIP=60342131", api="hip")
        driver = Driver(device.choice)
        memory = DeviceMemory(driver, 1)
        shared = SharedDevice(driver, os.dup(memory.file), memory.size)
        ends = mock.Mock(wraps=driver)
        shared.driver = ends
        shared.close()
        self.assertEqual(["synchronize", "unmap", "release"], [name for name, _, _ in ends.mock_calls])
        memory.close()
        self.assertEqual(0, device.driver.fake_device_held())


class Caches(FakeDeviceTest):
    def test_a_device_without_persisting_lines_is_not_requested_to_reset_them(self) -> None:
        found = self.found_device(self.fake_device("-DBEFORE_AMPERE"))
        device = Accelerator(found.choice, None, None, None, found.device)
        device.start()
        device.evict()
        self.assertEqual(1 << 16, device.cache_bytes)
        self.assertGreaterEqual(device.cold.numel() * 8, 2 * device.cache_bytes)

    def test_on_hip_the_cache_behind_the_second_level_is_evicted_too(self) -> None:
        driver = Driver(self.fake_device("-DAS_HIP=60342131", api="hip").choice)
        with topology() as nodes:
            self.assertEqual(256 * MIB, cache_bytes(driver, nodes), "as the kernel reports the device at this address")

    def test_a_cache_size_that_the_kernel_does_not_report_comes_from_a_table_or_is_the_largest_known(self) -> None:
        with topology() as nodes:
            mi300x, mi210, unknown = kfd_devices(nodes)
            self.assertEqual([256 * MIB, 0, 256 * MIB], [last_level_bytes(one) for one in (mi300x, mi210, unknown)])
            (nodes / "2/caches/1/properties").unlink()
            self.assertEqual(256 * MIB, last_level_bytes(kfd_devices(nodes)[0]))
        self.assertEqual(256 * MIB, last_level_bytes(None))


class topology(tempfile.TemporaryDirectory):
    """The kernel's files of a machine: a processor, an MI300X, an MI210, a device that is hidden, and one of a kernel
    that does not report its architecture."""

    def __enter__(self) -> Path:
        nodes = Path(super().__enter__())
        self.node(nodes / "0", cpu_cores_count=96, simd_count=0)
        self.node(
            nodes / "2",
            simd_count=1216,
            gfx_target_version=90402,
            location_id=0xC100,
            domain=0,
            drm_render_minor=129,
            unique_id=0x1F00,
        )
        self.node(nodes / "2/caches/0", level=2, size=4096)
        self.node(nodes / "2/caches/1", level=3, size=262144)
        mi210 = {"gfx_target_version": 90010, "location_id": 0x0301, "domain": 1, "drm_render_minor": 128}
        self.node(nodes / "10", simd_count=416, **mi210)
        self.node(nodes / "10/caches/0", level=2, size=8192)
        (nodes / "11").mkdir()
        self.node(nodes / "12", simd_count=256, location_id=0x0400, drm_render_minor=131)
        return nodes

    def node(self, folder: Path, **reported: int) -> None:
        """Writes the file `properties` of a folder."""
        folder.mkdir(parents=True)
        (folder / "properties").write_text("".join(f"{name} {value}\n" for name, value in reported.items()))


class Topology(unittest.TestCase):
    def test_devices_are_counted_as_the_runtime_does_and_named_by_their_bus_address(self) -> None:
        with topology() as nodes:
            self.assertEqual(
                [("0000:c1:00.0", 129, "gfx942"), ("0001:03:00.0", 128, "gfx90a"), ("0000:04:00.0", 131, None)],
                [(one.bus_id, one.render_minor, one.architecture) for one in kfd_devices(nodes)],
            )

    def test_sensors_are_those_of_the_devices_that_the_operator_chose(self) -> None:
        with topology() as nodes:
            self.assertEqual((["0", "1", "2"], [129, 128, 131]), amd_devices({}, nodes))
            self.assertEqual((["1"], [128]), amd_devices({"HIP_VISIBLE_DEVICES": "1"}, nodes))
            self.assertEqual((["1"], [128]), amd_devices({"CUDA_VISIBLE_DEVICES": "1"}, nodes))
            chosen_first = {"ROCR_VISIBLE_DEVICES": "GPU-0000000000001f00,2", "HIP_VISIBLE_DEVICES": "1"}
            self.assertEqual((["1"], [131]), amd_devices(chosen_first, nodes), "HIP counts what was chosen first")
            self.assertEqual((["7"], []), amd_devices({"HIP_VISIBLE_DEVICES": "7"}, nodes))
        self.assertEqual(([], []), amd_devices({}, nodes), "where the kernel tells nothing")


class Sharing(unittest.TestCase):
    def test_amd_s_scheduler_must_alternate_between_processes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            parameter = Path(folder) / "hws_max_conc_proc"
            self.assertFalse(sharing_row(parameter).ok, "what the kernel does not tell is not taken for well")
            parameter.write_text("-1\n")
            self.assertIn("options amdgpu hws_max_conc_proc=0", sharing_row(parameter).fix or "")
            self.assertFalse(sharing_row(parameter).ok)
            parameter.write_text("0\n")
            self.assertTrue(sharing_row(parameter).ok)


class Tool(unittest.TestCase):
    def test_nvidia_s_tool_is_queried_for_the_devices_that_the_operator_chose(self) -> None:
        answers = "case $* in *--id=2,1*) echo 3, 40;; *--id=2*compute_cap*) echo 9.0;; *) echo 7.5;; esac"
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "nvidia-smi").write_text(f"#!/bin/sh\n{answers}\n")
            (Path(folder) / "nvidia-smi").chmod(0o755)
            with mock.patch.dict(os.environ, PATH=folder, CUDA_VISIBLE_DEVICES="2,1"):
                self.assertEqual("90a", compute_capability())
                self.assertEqual([Use(3.0, 40.0)], uses())


class Description(FakeDeviceTest):
    def test_cuda_and_hip_describe_a_device_by_the_same_calls(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "nvidia").mkdir()
            (Path(folder) / "nvidia/version").write_text("570.86.10\n")
            cuda: messages.Accelerator = {
                "model": "Fake device",
                "memoryBytes": 512 * MIB,
                "architecture": "sm_90",
                "clockMhz": 1980,
                "measured": None,
            }
            self.assertEqual(
                Described([cuda], "570.86.10", "CUDA 12.4"), describe(self.found_device(self.fake_device()), Path(folder))
            )
            hip = self.found_device(self.fake_device("-DAS_HIP=60342131", api="hip"))
            with topology() as nodes, mock.patch("kernelbot_tester.device.kfd.kfd_devices.__defaults__", (nodes,)):
                self.assertEqual(
                    Described([{**cuda, "architecture": "gfx942"}], None, "HIP 6.3"), describe(hip, Path(folder))
                )

    def test_a_machine_names_the_devices_that_are_judged_on_and_no_others(self) -> None:
        self.assertEqual([], describe_machine(True)["accelerators"])
        machine = describe_machine(True, self.found_device(self.fake_device()))
        self.assertEqual(("Fake device", "CUDA 12.4"), (machine["accelerators"][0]["model"], machine["runtime"]))

    def test_a_driver_that_does_not_open_describes_nothing(self) -> None:
        with mock.patch("traceback.print_exc"):
            nothing = FoundFakeDevice(DriverChoice("/no/driver.so", "cu", "cpu"), [], [], [])
            self.assertEqual(Described([], None, None), describe(nothing))


if __name__ == "__main__":
    unittest.main()
