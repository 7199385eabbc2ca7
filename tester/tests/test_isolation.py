"""A submission's access and rights: its own files and its input, and nothing else."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

from support import RIGHT, TESTER, JudgeTest, descendants, job, shared_tester, wait_until_gone

from kernelbot_tester.qualify.isolation import PROBING
from kernelbot_tester.sandbox.sandbox import SANDBOX_IDS, SandboxUser

X86 = os.uname().machine == "x86_64"


def way_to_python(folder: str) -> list[str]:
    """Returns the subfolders of a folder that are part of the path to this Python; empty where none are."""
    prefixes = {Path(prefix) for prefix in (sys.prefix, sys.base_prefix) if not prefix.startswith("/usr")}
    ways = [prefix.relative_to(folder).parts[0] for prefix in prefixes if Path(folder) in prefix.parents]
    return sorted(set(ways))


def thread_count(pid: int) -> int:
    """Returns the number of threads of a process; 0 if it has ended."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except (FileNotFoundError, ProcessLookupError):
        return 0


class Isolation(JudgeTest):
    def outcomes(self, *probes: str) -> list[Any]:
        """Returns the outcome of each Python expression inside a worker: its value, or the name of its exception."""
        return json.loads(self.printed(f"PROBES = {probes!r}\n{PROBING}\n{RIGHT}"))

    def test_the_reference_is_not_accessible(self) -> None:
        self.assertEqual(["ModuleNotFoundError"], self.outcomes("__import__('reference')"))
        self.assertEqual([["submission.py", "task.py"]], self.outcomes("sorted(os.listdir('.'))"))

    def test_no_problem_is_accessible(self) -> None:
        # Searches not only for the usual name of a reference, but for any folder of problems.
        walk = "[f'{way}/{name}' for way, _, names in os.walk('/kernelbot') for name in names if %s]"
        # PyTorch has modules of that name, which are below /kernelbot where its Python is in a folder of the machine.
        references = walk % "'reference' in name and '/site-packages/' not in way"
        problems = walk % "'/problems/' in way or name == 'problem.yml'"
        own_code = walk % "way == '/kernelbot/worker' and name == 'main.py'"
        self.assertEqual([[], [], ["/kernelbot/worker/main.py"]], self.outcomes(references, problems, own_code))

    def test_files_of_the_machine_are_not_accessible(self) -> None:
        paths = [
            "/etc/shadow",
            "/etc/passwd",
            "/root",
            "/home",
            "/var",
            "/run",
            "/sys/class",
            "/sys/block",
            os.path.abspath(__file__),
        ]
        expected = [way_to_python(path) or "FileNotFoundError" for path in paths]
        self.assertEqual(expected, self.outcomes(*(f"os.listdir({path!r})" for path in paths)))

    def test_the_environment_has_only_the_listed_variables(self) -> None:
        (names,) = self.outcomes("sorted(os.environ)")
        self.assertLessEqual(
            set(names),
            {"PATH", "HOME", "TMPDIR", "USER", "LANG", "PWD", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}
            | {"MKL_NUM_THREADS", "PYTHONDONTWRITEBYTECODE", "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"}
            | {"KINETO_LOG_LEVEL", "LD_PRELOAD", "MALLOC_CONF"}
            | {"XDG_CACHE_HOME", "TORCH_EXTENSIONS_DIR", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"}
            | {"MAX_JOBS", "TORCHINDUCTOR_COMPILE_THREADS"},
        )

    def test_no_other_process_is_visible(self) -> None:
        self.assertEqual([["1"], 1], self.outcomes("[p for p in os.listdir('/proc') if p.isdigit()]", "os.getpid()"))

    def test_it_is_not_root_and_has_no_capability(self) -> None:
        names = ("CapEff", "CapPrm", "CapBnd", "NoNewPrivs")
        probe = f"[l.split()[1] for l in open('/proc/self/status') if l.startswith({names})]"
        self.assertEqual([True, ["0" * 16] * 3 + ["1"]], self.outcomes("os.getuid() != 0", probe))

    def test_the_open_files_are_null_a_pipe_the_judges_socket_and_memory(self) -> None:
        path = "f'/proc/self/fd/{n}'"
        probe = f"[os.readlink({path}).split(':')[0] for n in range(64) if os.path.islink({path})]"
        [files] = self.outcomes(probe)
        self.assertEqual(["/dev/null", "pipe", "pipe"], files[:3])
        self.assertCountEqual(["socket", "/memfd"], files[3:])

    def test_only_scratch_can_be_written(self) -> None:
        paths = [
            "/x",
            "/usr/x",
            "/kernelbot/x",
            "/dev/x",
            "/proc/sys/kernel/hostname",
            "/proc/self/mem",
            "/tmp/x",
            "/dev/shm/x",
        ]
        self.assertEqual(
            ["OSError"] * 6 + [1, 1], self.outcomes(*(f"open({path!r}, 'w').write('x')" for path in paths))
        )

    def test_scratch_is_bounded_in_bytes_and_files(self) -> None:
        self.assertEqual(
            ["OSError", "OSError"],
            self.outcomes(
                "[open(f'/tmp/{n}', 'w').write('x') for n in range(10_000)]",
                "[open(f'/dev/shm/{n}', 'wb').write(bytes(1 << 26)) for n in range(10)]",
            ),
        )

    def test_nothing_is_left_for_the_next_submission(self) -> None:
        self.assertEqual([4], self.outcomes("open('/tmp/note', 'w').write('test')"))
        self.assertEqual([["job"]], self.outcomes("os.listdir('/tmp')"))

    def test_there_is_no_network(self) -> None:
        self.assertEqual(["PermissionError"], self.outcomes("socket.socket()"))

    def test_no_process_can_be_signalled(self) -> None:
        self.assertEqual(["PermissionError"] * 2, self.outcomes("os.kill(1, 0)", "os.kill(2, 9)"))

    def test_cores_and_priorities_stay_as_they_are(self) -> None:
        probes = [
            "os.sched_setaffinity(0, {0})",
            "os.setpriority(os.PRIO_PROCESS, 0, 5)",
            "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
        ]
        self.assertEqual(["PermissionError"] * 3, self.outcomes(*probes))

    @unittest.skipUnless(X86, "the numbers are those of x86-64")
    def test_the_kernel_refuses_dangerous_system_calls(self) -> None:
        calls = {
            **{"ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "unshare": 272, "setns": 308},
            **{"mount": 165, "umount2": 166, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "keyctl": 250},
            **{"io_uring_setup": 425, "memfd_create": 319, "shmget": 29, "msgget": 68, "pidfd_open": 434, "kill": 62},
            **{"timer_create": 222, "x32 getpid": 0x40000027},
            # What Linux counts for all cells together: files that are being passed, watches, and their queues.
            **{"sendmsg": 46, "sendmmsg": 307, "epoll_create": 213, "epoll_create1": 291},
            **{"inotify_init": 253, "inotify_init1": 294},
        }
        outcomes = self.outcomes(*(f"system_call({number}, 0, 0, 0, 0)" for number in calls.values()))
        self.assertEqual({name: "PermissionError" for name in calls}, dict(zip(calls, outcomes)))

    @unittest.skipUnless(X86, "the number is that of x86-64")
    def test_it_cannot_send_itself_the_signal_to_continue(self) -> None:
        self.assertEqual(["PermissionError"], self.outcomes("system_call(234, 1, 1, 18)"))

    @unittest.skipUnless(X86, "the number is that of x86-64")
    def test_no_thread_can_wait_where_it_cannot_be_stopped(self) -> None:
        # clone with CLONE_VM, CLONE_SIGHAND, CLONE_VFORK and CLONE_THREAD.
        self.assertEqual(["PermissionError"], self.outcomes("system_call(56, 0x14900, 0, 0, 0, 0)"))

    def test_a_file_cannot_be_made_to_send_signals(self) -> None:
        self.assertEqual(["PermissionError"], self.outcomes("__import__('fcntl').fcntl(0, 10, 18)"))

    def test_no_lease_can_block_other_processes_at_a_file(self) -> None:
        probe = "__import__('fcntl').fcntl(os.open('/tmp/note', os.O_CREAT), 1024, 1)"  # F_SETLEASE, F_WRLCK
        self.assertEqual(["PermissionError"], self.outcomes(probe))

    def test_there_is_no_terminal(self) -> None:
        self.assertEqual(["FileNotFoundError"], self.outcomes("os.open('/dev/ptmx', os.O_RDWR)"))


#: Passes more files than a worker may open, as the user of its argument, until its input ends.
PASSING = """
import os, resource, socket, sys
if os.getuid() == 0:
    os.setresgid(*[int(sys.argv[1])] * 3)
    os.setresuid(*[int(sys.argv[1])] * 3)
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
one, other = socket.socketpair()
try:
    while True:
        socket.send_fds(one, [b"x"], [2] * 253)
except OSError:
    print("passed", flush=True)
sys.stdin.read()
"""


class Users(unittest.TestCase):
    def test_each_judge_of_a_machine_has_a_user_of_its_own(self) -> None:
        ids = [judge.id for judge in [SandboxUser() for _ in range(50)]]
        self.assertEqual(50, len(set(ids) & set(SANDBOX_IDS)))


class Exhaustion(JudgeTest):
    """Resources that a submission exhausts are its own, and available to the next one, which `judge` checks."""

    def test_workers_start_while_another_process_of_their_user_passes_more_files_than_they_may_open(self) -> None:
        status = Path(f"/proc/{shared_tester().child('bwrap')}/status").read_text()
        user = re.findall(r"^Uid:\t(\d+)", status, re.MULTILINE)[0]
        with subprocess.Popen(
            [sys.executable, "-c", PASSING, user], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as passing:
            assert passing.stdout is not None
            self.assertEqual(b"passed\n", passing.stdout.readline())
            # Other stages start further workers.
            self.assertEqual("passed", self.judge(job(RIGHT, "benchmark"))[-1]["verdict"])

    def test_memory_ends_at_the_limit(self) -> None:
        source = "import torch\nkept = []\nwhile True:\n    kept.append(torch.empty(1 << 28))\n"
        self.refuse(job(source), "out_of_memory", "")

    def test_threads_end_at_the_limit(self) -> None:
        source = """
import threading
started = 0
try:
    while True:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        started += 1
except RuntimeError:
    print(started)
"""
        self.assertTrue(100 < int(self.printed(source + RIGHT)) < 520)

    def test_descriptors_end_at_the_limit(self) -> None:
        source = """
import os
kept = []
try:
    while True:
        kept.append(os.dup(0))
except OSError:
    print(len(kept))
    for file in kept:
        os.close(file)
"""
        self.assertTrue(900 < int(self.printed(source + RIGHT)) < 1024)

    def test_no_limit_can_be_raised(self) -> None:
        source = """
import resource
for limit in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE):
    try:
        resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print("raised")
    except (OSError, ValueError):
        print("refused")
"""
        self.assertEqual(["refused"] * 4, self.printed(source + RIGHT).split())

    def test_full_scratch_is_empty_for_the_next_submission(self) -> None:
        source = """
try:
    with open("/tmp/full", "wb", buffering=0) as file:
        while file.write(bytes(1 << 22)):
            pass
except OSError as error:
    print(error.errno)
"""
        self.printed(source + RIGHT)
        free = self.printed(f"import os\nprint(os.statvfs('/tmp').f_bavail)\n{RIGHT}")
        self.assertGreater(int(free), 1000)

    def test_nothing_outlives_the_run(self) -> None:
        # Threads that never end, ignore all signals that can be ignored, and disable the parent-death signal.
        source = """
import ctypes, signal, threading, time
ctypes.CDLL(None).prctl(1, 0)
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)

def on():
    while True:
        time.sleep(0.001)

for _ in range(8):
    threading.Thread(target=on).start()
"""
        # The process still runs the next case when the end of the first is reported.
        slow = """
right = custom_kernel

def custom_kernel(data):
    time.sleep(0.3)
    return right(data)
"""
        tester = shared_tester()
        before = {pid: thread_count(pid) for pid in descendants(tester.process.pid)}
        message = job(source + RIGHT + slow)
        tester.send(message)
        while tester.line()["event"]["type"] != "case_finished":
            pass
        # By their threads: a run uses a process that was prepared before, and another is prepared meanwhile.
        after = {pid: thread_count(pid) for pid in descendants(tester.process.pid)}
        seen = [pid for pid, count in after.items() if count >= before.get(pid, 0) + 8]
        self.assertGreaterEqual(len(seen), 1)
        self.assertEqual("passed", tester.event("verdict")["verdict"])
        wait_until_gone(seen)


if __name__ == "__main__":
    unittest.main()
