"""Device profilers: detection, command line, parsing and limits. A program replaces them at their command line."""

from __future__ import annotations

import json
import os
import socket
import struct
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import torch
from support import RIGHT, descendants, job, wait_until_gone
from kernelbot_tester.device.host import HostDevice
from kernelbot_tester.failures import Failed
from kernelbot_tester.judge.artifacts import ArtifactFolder
from kernelbot_tester.judge.report import Reporter
from kernelbot_tester.judge.seeds import RunSeed
from kernelbot_tester.problem.problem import Problem
from kernelbot_tester.profilers.find import device_profiler, vendor_of
from kernelbot_tester.profilers.launch import SCRATCH_BYTES, Launched, installation, profile_launched, read_answer, read_result
from kernelbot_tester.profilers.nsight import Nsight, counters_are_for_root
from kernelbot_tester.profilers.rocprof import Rocprof
from kernelbot_tester.sandbox.config import configure
from kernelbot_tester.stages import profile
from kernelbot_tester.worker.profiled_program import REPORT_AT, TEXT_BYTES

OPEN = "Foo: 3\nRmProfilingAdminOnly: 0\n"
CLOSED = "Foo: 3\nRmProfilingAdminOnly: 1\n"


class Finding(unittest.TestCase):
    def test_a_problem_of_the_processor_needs_no_profiler_of_a_device(self) -> None:
        self.assertIsNone(vendor_of((torch.empty(3), [torch.empty(2), {"n": 1}])))
        self.assertEqual((None, None), device_profiler(None))

    def test_tensors_on_a_device_belong_to_the_vendor_that_pytorch_was_built_for(self) -> None:
        self.assertEqual("nvidia", vendor_of({"a": [torch.empty(3, device="meta")]}))

    def test_each_vendor_has_its_profiler(self) -> None:
        found = device_profiler("nvidia", lambda name, _: f"/opt/{name}", OPEN)
        self.assertEqual((Nsight("/opt/ncu"), None), found)
        self.assertEqual((Rocprof("/opt/rocprofv3"), None), device_profiler("amd", lambda name, _: f"/opt/{name}", ""))

    def test_a_missing_profiler_is_named_with_what_the_operator_installs(self) -> None:
        for vendor, name, package in (
            ("nvidia", "Nsight Compute", "nsight-compute"),
            ("amd", "rocprofv3", "rocprofiler-sdk"),
        ):
            tool, lacks = device_profiler(vendor, lambda *_: None, OPEN)
            self.assertIsNone(tool)
            installs = f"^{name} is missing on this machine: its operator installs .* package {package}, .*"
            self.assertRegex(lacks or "", f"{installs}torch.profiler are all there is$")

    def test_counters_that_the_driver_restricts_to_root_are_reported_before_the_run(self) -> None:
        tool, lacks = device_profiler("nvidia", lambda name, _: f"/opt/{name}", CLOSED)
        self.assertIsNone(tool)
        self.assertRegex(lacks or "", r"Nsight Compute cannot be used: .*NVreg_RestrictProfilingToAdminUsers=0")
        self.assertEqual([True, False, False], [counters_are_for_root(text) for text in (CLOSED, OPEN, "")])

    def test_the_whole_installation_is_seen_in_the_sandbox(self) -> None:
        self.assertEqual("/opt/rocm-7.0", installation("/opt/rocm-7.0/bin/rocprofv3"))
        self.assertEqual("/opt/nvidia/nsight-compute/2025.1", installation("/opt/nvidia/nsight-compute/2025.1/ncu"))


class Commands(unittest.TestCase):
    def test_nsight_compute_profiles_only_the_kernels_in_the_range_of_the_calls(self) -> None:
        collect, show = Nsight("/opt/ncu").commands(["python3", "-c", "x"], 10)
        line = " ".join(collect)
        self.assertTrue(line.startswith("/opt/ncu --set full "), line)
        self.assertIn("--nvtx --nvtx-include custom_kernel/ -c 10 ", line)
        self.assertTrue(line.endswith("-o /tmp/profile/report -- python3 -c x"), line)
        self.assertEqual(["/opt/ncu", "--import", "/tmp/profile/report.ncu-rep"], show[:3])

    def test_rocprofv3_writes_a_trace_for_a_viewer_and_a_list_of_kernels(self) -> None:
        (collect,) = Rocprof("/opt/rocprofv3").commands(["python3", "-c", "x"], 10)
        line = " ".join(collect)
        self.assertIn("--kernel-trace", line)
        self.assertIn("--output-format pftrace csv -d /tmp/profile/trace -o run -- python3 -c x", line)


PAGE = """==PROF== Connected to process 7
[7] python3@127.0.0.1
  void add<float>(float *, int) (512, 1, 1)x(128, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
    Section: GPU Speed Of Light Throughput
    DRAM Throughput   %   91.2
"""


class Pages(unittest.TestCase):
    def test_of_the_pages_of_nsight_compute_the_first_two_kernels_are_shown(self) -> None:
        kernels = [PAGE.split("\n", 2)[2].replace("add", name) for name in ("one", "two", "three")]
        page = Nsight("ncu").page("==PROF== Connected\n" + "".join(kernels))
        self.assertEqual(["one", "two"], [name for name in ("one", "two", "three") if f"void {name}<" in page])
        self.assertIn("DRAM Throughput", page)
        self.assertNotIn("==PROF==", page)
        self.assertTrue(page.endswith("  ... 1 more kernels, in the report"), page)

    def test_a_kernel_with_many_lines_is_cut(self) -> None:
        page = Nsight("ncu").page(PAGE + "    x\n" * 500)
        self.assertLessEqual(len(page.splitlines()), 101)
        self.assertIn("more lines, in the report", page)

    def test_pages_without_a_kernel_say_so(self) -> None:
        self.assertEqual("No kernel ran on the device.", Nsight("ncu").page("==WARNING== No kernels were profiled."))
        self.assertEqual("No kernel ran on the device.", Rocprof("r").page('"Kernel_Name","Start_Timestamp"\n'))

    def test_kernels_of_rocprofv3_are_summed_over_their_launches_and_sorted_by_time(self) -> None:
        lines = ['"Kind","Kernel_Name","Start_Timestamp","End_Timestamp"']
        lines += ['"K","void add(float*, int)",1000,3000', '"K","mul",0,9000', '"K","void add(float*, int)",5000,8000']
        table = Rocprof("r").page("\n".join(lines)).splitlines()
        self.assertEqual(["9.0 us", "1", "mul"], [table[1][:12].strip(), *table[1][12:].split()])
        self.assertRegex(table[2], r"^ +5\.0 us +2  void add\(float\*, int\)$")

    def test_an_invalid_trace_is_reported(self) -> None:
        for text in ("a,b\n1,2\n", "Kernel_Name,Start_Timestamp,End_Timestamp\nk,x,y\n", "\0"):
            self.assertRegex(Rocprof("r").page(text), "is not what rocprofv3 writes|No kernel")

    def test_a_profiler_without_a_report_is_quoted_with_its_last_error(self) -> None:
        tool = Nsight("ncu")
        self.assertEqual("Nsight Compute made no report", tool.complaint("hello\n"))
        printed = "==PROF== x\n==ERROR== The application returned an error code (1).\n"
        self.assertIn(": ==ERROR== The application returned", tool.complaint(printed))
        refused = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"
        self.assertIn("NVreg_RestrictProfilingToAdminUsers=0", tool.complaint(refused))


#: Replaces Nsight Compute: runs the given command, and writes its view of the call as its report.
FAKE_NVCC = """#!/bin/sh
if [ "$1" = --import ]; then
  test -f "$2" && printf '  void seen(int) (1, 1, 1)x(1, 1, 1), Context 1, Stream 7, Device 0\\n    by the fake device\\n'
  exit 0
fi
while [ "$1" != -o ]; do shift; done
out=$2
while [ "$1" != -- ]; do shift; done
shift
"$@" || { echo '==ERROR== The application returned an error code'; exit 1; }
echo "a report" > "$out.ncu-rep"
"""

SEEING = """
import os, socket
calls = 0
def custom_kernel(data):
    global calls
    calls += 1
    print("call", calls, float(data[0].sum()))
    print("sees", sorted(set(os.listdir("/")) & {"boot", "var", "media"}), sorted(os.listdir("/tmp")), socket.if_nameindex())
"""


class ReturnedFiles(unittest.TestCase):
    def read(self, *sizes: object) -> Launched:
        """Returns what is read, with these lengths, from a file that contains `printed`, `text` and `report`."""
        file = os.memfd_create("handed over")
        self.addCleanup(os.close, file)
        for place, data in ((0, b"printed"), (TEXT_BYTES, b"text"), (REPORT_AT, b"report")):
            os.pwrite(file, data, place)
        return read_result(file, list(sizes))

    def test_the_result_is_read_with_the_reported_lengths(self) -> None:
        self.assertEqual(Launched("printed", "text", b"report"), self.read(7, 4, 6))
        self.assertEqual(Launched("printed", None, None), self.read(7, None, None))

    def test_forged_lengths_give_nothing_or_a_truncated_result(self) -> None:
        for sizes in ((-1, 4, 6), ("7", 4, 6), (7, 4), ()):
            self.assertEqual(Launched("", None, None), self.read(*sizes))
        huge = self.read(1 << 60, 1 << 60, 1 << 60)
        self.assertEqual((TEXT_BYTES, None), (len(huge.printed), huge.report))


class Launching(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        path = Path(folder.name) / "ncu"
        path.write_text(FAKE_NVCC)
        path.chmod(0o755)
        self.tool = Nsight(str(path))
        self.config = configure(sandboxed=True)

    def launched(self, source: str, seconds: float = 60) -> Launched:
        """Returns the result for a submission under the fake device."""
        data = (torch.ones(5), torch.empty(5))
        files = {"submission.py": textwrap.dedent(source)}
        return profile_launched(self.tool, files, data, "cpu", 3, self.config, time.monotonic() + seconds)

    def test_the_profiler_runs_the_submission_on_the_input_in_a_sandbox_and_leaves_text_and_report(self) -> None:
        with tempfile.NamedTemporaryFile(prefix="of-the-machine-"):
            made = self.launched(SEEING)
        lines = made.printed.splitlines()
        self.assertEqual(["call 1 5.0", "call 2 5.0", "call 3 5.0", "call 4 5.0"], lines[::2])
        self.assertRegex(lines[1], r"^sees \[\] \[.*'job', .*'profile'.*\] \[(\(1, 'lo'\))?\]$")
        self.assertNotIn("of-the-machine-", made.printed)
        self.assertIn("by the fake device", made.text or "")
        self.assertEqual(b"a report\n", made.report)

    def test_a_profiled_submission_is_confined_as_a_judged_one(self) -> None:
        source = """
            import ctypes, errno, resource
            libc = ctypes.CDLL(None, use_errno=True)
            def custom_kernel(data):
                for name, result in (("unshare", libc.unshare(0x10000000)), ("io_uring", libc.syscall(425, 1, ctypes.create_string_buffer(256)))):
                    print(name, result, errno.errorcode[ctypes.get_errno()])
                print("limits", *(resource.getrlimit(getattr(resource, name))[1] for name in ("RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_FSIZE")))
        """
        lines = self.launched(source).printed.splitlines()
        limits = f"limits {self.config.threads} {self.config.open_files} {SCRATCH_BYTES}"
        self.assertEqual(["unshare -1 EPERM", "io_uring -1 EPERM", limits], lines[:3])

    def test_a_submission_that_fails_leaves_no_report_and_a_message_of_limited_length(self) -> None:
        made = self.launched("def custom_kernel(data):\n    print('x' * (8 << 20))\n    raise ValueError('mine')")
        self.assertIsNone(made.report)
        self.assertEqual(TEXT_BYTES, len(made.printed))
        self.assertIn("ValueError: mine", made.printed, "the end is kept")
        self.assertIn("made no report: ==ERROR==", self.tool.complaint(made.printed))

    def test_a_submission_cannot_reach_the_socket_of_its_sandbox(self) -> None:
        made = self.launched('''
            import ctypes, os
            def custom_kernel(data):
                for process in filter(str.isdigit, os.listdir("/proc")):
                    for file in os.listdir(f"/proc/{process}/fd") if os.access(f"/proc/{process}/fd", os.X_OK) else ():
                        if os.readlink(f"/proc/{process}/fd/{file}").startswith("socket:"):
                            os.pidfd_open(int(process))
        ''')
        self.assertIsNone(made.report)
        self.assertIn("PermissionError", made.printed)

    def test_an_answer_that_is_too_long_or_no_object_gives_no_result(self) -> None:
        for answer in (b"[" * 4096, b"[" * 4097, b"[]"):
            ours, theirs = socket.socketpair()
            with ours, theirs:
                theirs.sendall(struct.pack("<I", len(answer)) + answer)
                with self.assertRaises((ValueError, RecursionError)):
                    read_answer(ours)

    def test_a_submission_that_never_ends_is_ended_with_its_profiler(self) -> None:
        before = set(descendants(os.getpid()))
        with self.assertRaises(Failed) as caught:
            self.launched("def custom_kernel(data):\n    while True: pass", 4)
        self.assertEqual("timeout", caught.exception.failure)
        wait_until_gone(list(set(descendants(os.getpid())) - before))


class OnADevice(unittest.TestCase):
    def left(self, made: Launched) -> tuple[str | None, dict[str, bytes], list[str]]:
        """Returns what the profile of a case lacks, the files that it writes, and the types of its events."""
        message = job(RIGHT)
        worker = cast(Any, SimpleNamespace(config=None))
        problem = cast(Any, Problem(message["problem"], [HostDevice()]))
        subject = profile.Subject(worker, problem, RIGHT, RunSeed())
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as events:
            artifacts = ArtifactFolder(folder, "profile", Reporter(events.fileno(), "x"))
            with mock.patch.object(profile, "profile_launched", return_value=made):
                lacks = profile.profile_on_device(Nsight("ncu"), subject, 0, {"size": 8, "seed": 1}, artifacts, 0)
            events.seek(0)
            files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
            return lacks, files, [json.loads(line)["event"]["name"] for line in events]

    def test_a_profile_of_the_device_leaves_its_page_and_its_report_next_to_those_of_pytorch(self) -> None:
        lacks, files, reported = self.left(Launched("", PAGE + "\x1b[2J", b"report"))
        self.assertIsNone(lacks)
        self.assertEqual(["profile.0.ncu.txt", "profile.0.ncu-rep"], reported)
        self.assertEqual(b"report", files["profile.0.ncu-rep"])
        page = files["profile.0.ncu.txt"].decode()
        self.assertTrue(page.startswith("profile case 1 (size: 8), 10 calls under Nsight Compute\nCreated in the same sandbox"))
        self.assertIn("DRAM Throughput", page)
        self.assertNotIn("\x1b", page)

    def test_without_a_report_the_run_reports_why_and_passes(self) -> None:
        lacks, files, reported = self.left(Launched("==ERROR== ERR_NVGPUCTRPERM", None, None))
        self.assertRegex(lacks or "", "^Nsight Compute made no report: the driver of this machine keeps")
        self.assertEqual(({}, []), (files, reported))


if __name__ == "__main__":
    unittest.main()
