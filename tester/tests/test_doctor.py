"""The doctor's checks, on this machine and on descriptions of others."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from support import TESTER
from kernelbot_tester.doctor.accelerators import missing, newer_than_driver
from kernelbot_tester.doctor.frameworks import reference_blas
from kernelbot_tester.doctor.resources import clock, group_limit, is_writable
from kernelbot_tester.doctor.sandbox import masked_paths, seccomp, user_namespaces
from kernelbot_tester.processes.zygote_requests import read_first_message
from kernelbot_tester.sandbox.start_failure import start_failure

NAMES = ["Python version", "torch", "numpy", "BLAS", "C library", "compiling", "Bubblewrap", "allocator", "user namespaces", "own /proc"]
NAMES += ["seccomp", "accelerator", "worker", "cores", "clock", "memory", "memory limit", "cache", "temporary folder"]


def doctor(*options: str, before: tuple[str, ...] = (), **environment: str) -> tuple[dict[str, dict], int]:
    """Returns the doctor's findings by name, and its exit code; `before`: a command that starts it."""
    command = [*before, sys.executable, "-m", "kernelbot_tester", "doctor", "--json", *options]
    done = subprocess.run(command, cwd=TESTER, capture_output=True, text=True, env={**os.environ, **environment})
    try:
        return {check["name"]: check for check in json.loads(done.stdout)}, done.returncode
    except ValueError:
        raise AssertionError(done.stderr) from None


class ThisMachine(unittest.TestCase):
    def test_it_lists_what_it_checked_and_how_to_fix_it(self) -> None:
        checks, code = doctor()
        self.assertEqual(NAMES, list(checks))
        for check in checks.values():
            self.assertEqual({"name", "ok", "detail", "fix"}, set(check))
            # Checks that are ok may come with advice, as for a machine without cgroup v2.
            self.assertTrue(check["ok"] or check["fix"], check)
        self.assertEqual(0 if all(check["ok"] for check in checks.values()) else 1, code)

    def test_without_bubblewrap_it_says_how_to_install_it(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("cc", "as", "ld", "true"):
                os.symlink(shutil.which(name) or "", f"{folder}/{name}")
            checks, code = doctor(PATH=folder)
        self.assertEqual(1, code)
        failed = [name for name, check in checks.items() if not check["ok"]]
        self.assertEqual(["Bubblewrap", "user namespaces", "own /proc", "worker"], failed)
        self.assertIn("apt install bubblewrap", checks["Bubblewrap"]["fix"])

    def test_a_machine_that_must_have_an_accelerator_fails_without_one(self) -> None:
        checks, code = doctor("--accelerator")
        self.assertFalse(checks["accelerator"]["ok"])
        self.assertEqual(1, code)

    def test_too_little_memory_is_reported_with_the_limit(self) -> None:
        # A worker cannot start below it, which must not prevent the other findings.
        checks, _ = doctor(before=("prlimit", f"--as={3 << 29}"))
        self.assertEqual((False, "1.5 GiB, limited by ulimit -v"), (checks["memory"]["ok"], checks["memory"]["detail"]))
        self.assertFalse(checks["worker"]["ok"])

    def test_a_cache_that_cannot_be_written_is_no_failure(self) -> None:
        checks, _ = doctor(XDG_CACHE_HOME="/proc/nothing")
        self.assertTrue(checks["cache"]["ok"])
        self.assertIn("set XDG_CACHE_HOME", checks["cache"]["fix"])

    def test_a_temporary_folder_that_cannot_be_written_fails(self) -> None:
        checks, _ = doctor(TMPDIR="/proc/nothing")
        self.assertFalse(checks["temporary folder"]["ok"])


class OtherMachines(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)

    def inside(self, *options: str) -> dict[str, dict]:
        """Returns the findings in a container made by Bubblewrap with these options."""
        before = ("bwrap", "--unshare-user", "--uid", "1000", "--dev-bind", "/", "/", *options, "--")
        return doctor(before=before)[0]

    def test_forbidden_user_namespaces_are_named(self) -> None:
        checks = self.inside("--disable-userns", "--proc", "/proc")
        self.assertFalse(checks["user namespaces"]["ok"], checks)
        self.assertIn("sysctl user.max_user_namespaces", checks["user namespaces"]["fix"])
        self.assertEqual("not tried without user namespaces", checks["own /proc"]["detail"])

    def test_a_masked_proc_is_named_with_the_option_of_the_container(self) -> None:
        checks = self.inside("--tmpfs", "/proc/fs")
        self.assertTrue(checks["user namespaces"]["ok"], checks)
        self.assertFalse(checks["own /proc"]["ok"])
        self.assertIn("hidden here: /proc/fs", checks["own /proc"]["detail"])
        self.assertIn("systempaths=unconfined", checks["own /proc"]["fix"])

    def test_mounts_below_proc_are_those_that_hide_it(self) -> None:
        mounts = self.root / "mountinfo"
        mounts.write_text(
            "22 1 0:20 / /proc rw - proc proc rw\n30 22 0:5 /null /proc/kcore rw - devtmpfs devtmpfs rw\n"
            "31 22 0:9 / /proc/acpi ro - tmpfs tmpfs ro\n40 1 0:3 / /processes rw - tmpfs tmpfs rw\n"
        )
        self.assertEqual(["/proc/acpi", "/proc/kcore"], masked_paths(mounts))

    def test_a_kernel_without_user_notification_is_reported(self) -> None:
        for name, text in {"sys/kernel/seccomp/actions_avail": "errno allow", "self/status": "Name:\tx\nSeccomp:\t2\n"}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        found = seccomp(self.root)
        self.assertIn("within a filter of the container", found["detail"])
        self.assertEqual("For submissions that compile, use Linux 5.5 or newer", found["fix"])

    def test_pytorch_may_be_newer_than_the_driver_within_a_major_version_only(self) -> None:
        self.assertIsNone(newer_than_driver(("cu", "12.8"), "CUDA 12.4"))
        self.assertIsNone(newer_than_driver(("cu", "11.8"), "CUDA 12.4"))
        self.assertIsNone(newer_than_driver(("hip", "7.1.2"), "HIP 6.3"))
        reason, fix = newer_than_driver(("cu", "13.0"), "CUDA 12.4") or ("", "")
        self.assertEqual("PyTorch was built for CUDA 13.0", reason)
        self.assertIn("install a PyTorch for CUDA 12.4 or older", fix)

    def test_a_missing_accelerator_fails_only_where_it_is_needed(self) -> None:
        self.assertEqual((True, None), (missing("none", False)["ok"], missing("none", False)["fix"]))
        self.assertFalse(missing("none", True)["ok"])

    def test_the_reference_blas_is_recognised_by_its_folder(self) -> None:
        (self.root / "libblas.so.3").symlink_to(self.root / "blas" / "libblas.so.3.12.1")
        for origin, expected in (
            ("/usr/lib/python3/dist-packages/torch/__init__.py", f"{self.root}/blas/libblas.so.3.12.1"),
            ("/opt/venv/lib/python3.13/site-packages/torch/__init__.py", None),
        ):
            with mock.patch("importlib.util.find_spec", return_value=mock.Mock(origin=origin)):
                self.assertEqual(expected, reference_blas(str(self.root)))

    def test_the_smallest_limit_of_the_own_groups_is_the_memory(self) -> None:
        mounted = self.root / "cgroup"
        (mounted / "pod/box").mkdir(parents=True)
        (mounted / "pod/memory.max").write_text("1073741824\n")
        (mounted / "pod/box/memory.max").write_text("max\n")
        process = self.root / "process"
        process.mkdir()
        (process / "cgroup").write_text("0::/pod/box\n")
        (process / "mountinfo").write_text(f"30 1 0:26 / {mounted} rw - cgroup2 cgroup2 rw\n")
        self.assertEqual((1 << 30, f"the control group {mounted}/pod"), group_limit(process))

    def test_a_governor_that_saves_power_is_reported_with_the_command(self) -> None:
        for core in os.sched_getaffinity(0):
            policy = self.root / f"cpu{core}/cpufreq"
            policy.mkdir(parents=True)
            (policy / "scaling_governor").write_text("powersave\n")
        found = clock(self.root)
        self.assertEqual("governor powersave", found["detail"])
        self.assertIn("cpupower frequency-set --governor performance", found["fix"] or "")

    def test_a_folder_is_writable_if_a_file_can_be_created_in_it_or_above_it(self) -> None:
        self.assertTrue(is_writable(self.root / "not/made/yet"))
        self.assertFalse(is_writable(Path("/proc/nothing")))


class ChangeOfUser(unittest.TestCase):
    @unittest.skipIf(shutil.which("bwrap") is None, "needs Bubblewrap")
    def test_root_that_may_not_change_its_user_is_told_which_capabilities_it_needs(self):
        with mock.patch("os.setgroups", side_effect=PermissionError(1, "not permitted")):
            found = user_namespaces()
        self.assertFalse(found["ok"])
        self.assertEqual("root is not permitted to change its user here", found["detail"])
        fix = found["fix"] or ""
        self.assertIn("needs CAP_SETUID, CAP_SETGID and CAP_SYS_ADMIN", fix)
        self.assertNotIn("sysctl", fix)

    def test_a_program_that_is_missing_is_named(self):
        self.assertEqual(start_failure(FileNotFoundError(2, "No such file", "bwrap")), "[Errno 2] No such file: 'bwrap'")


class Zygote(unittest.TestCase):
    def test_a_process_that_ends_before_its_first_message_raises_a_value_error(self) -> None:
        judge, worker = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        judge.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        worker.close()
        with judge, self.assertRaisesRegex(ValueError, "ended before its first message"):
            read_first_message(judge)


if __name__ == "__main__":
    unittest.main()
