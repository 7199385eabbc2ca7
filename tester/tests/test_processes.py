"""Processes that a submission starts: where they are allowed, and that none exists while the clock runs."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import struct
import unittest
from typing import Any

from support import PATIENT, RIGHT, JudgeTest, TesterProcess, job

#: Builds and loads a C library, as a submission may at import, and lists the other living processes.
TOOLS = """
import ctypes, json, os, signal, subprocess, sys, threading, time, torch

def build(source):
    command = ["gcc", "-xc", "-", "-shared", "-fPIC", "-O1", "-o", "/tmp/built.so"]
    subprocess.run(command, input=source.encode(), check=True)
    return ctypes.CDLL("/tmp/built.so", use_errno=True)

def others():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        state = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0]
        if pid != "1" and state != "Z":
            found.append(state)
    return found
"""

#: Answers correctly, and prints in each call which other processes exist.
WATCHING = """
def custom_kernel(data):
    print(json.dumps(others()))
    return torch.add(data[0], data[1], out=data[2])
"""

#: Starts a process that shares the worker's memory, as vfork does, for which the caller waits forever. The process
#: marks every word of the given memory.
CLONES = """
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <unistd.h>
static char stack[4][65536];
static int hold(void *flag) { for (;;) { ++*(volatile unsigned long *)flag; usleep(50); } }
int start(int which, int flags, void *flag) { return clone(hold, stack[which] + 65536, flags, flag); }
"""

X86 = os.uname().machine == "x86_64"


class Phases(JudgeTest):
    def calls(self, source: str, mode: str = "benchmark") -> list[Any]:
        """Returns the printed output of a submission that must pass, one JSON document per line."""
        events = self.judge(job(source, mode))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        texts = [event["head"] + event["tail"] for event in events if event["type"] == "output"]
        return [json.loads(line) for line in "".join(texts).splitlines()]

    def test_processes_run_in_the_import(self) -> None:
        source = """
pid = os.fork()
if pid == 0:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(json.dumps(subprocess.run(["/bin/echo", "from a program"], capture_output=True, text=True).stdout))
print(os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn("/bin/false", ["false"], {}), 0)[1]))
print(build("int answer(void) { return 42; }").answer())
"""
        self.assertEqual([7, "from a program\n", 1, 42], self.calls(TOOLS + source + RIGHT, "test"))

    def test_processes_run_in_tests_and_in_the_first_call_of_a_timed_case_and_nowhere_else(self) -> None:
        source = """
def custom_kernel(data):
    try:
        print(subprocess.run(["/bin/true"]).returncode)
    except PermissionError:
        print(-1)
    return torch.add(data[0], data[1], out=data[2])
"""
        self.assertEqual([0, 0], self.calls(TOOLS + source, "test"))
        first, *rest = self.calls(TOOLS + source)
        self.assertEqual(0, first)
        self.assertEqual({-1}, set(rest))

    def test_no_process_of_the_import_exists_in_a_call(self) -> None:
        start = """
for way in range(3):
    if os.fork() == 0:
        if way == 1:
            os.setsid()
        if way == 2:
            os.fork()
        while True:
            signal.pause()
children = others()
print(json.dumps(len(children) >= 3))
"""
        seen = self.calls(TOOLS + start + WATCHING)
        self.assertEqual([True], seen[:1])
        self.assertEqual([[]] * len(seen[1:]), seen[1:])

    def test_no_process_of_a_call_exists_in_the_next(self) -> None:
        source = """
def custom_kernel(data):
    print(json.dumps(others()))
    try:
        if os.fork() == 0:
            while True:
                data[2].add_(1)
    except PermissionError:
        pass
    return torch.add(data[0], data[1], out=data[2])
"""
        # It also writes the output of its call, so the call may be rejected; only the list of processes is checked.
        events = self.judge(job(TOOLS + source, tests=[{"size": 1, "seed": seed} for seed in range(3)]))
        text = "".join(event["head"] for event in events if event["type"] == "output")
        self.assertEqual({"[]"}, set(text.splitlines()))

    def test_a_thread_that_waits_for_a_child_of_vfork_is_stopped(self) -> None:
        # CLONE_VM | CLONE_VFORK | SIGCHLD, and without CLONE_VFORK: both share the memory of the worker.
        start = f"""
library = build('''{CLONES}''')
flag = ctypes.c_ulong()
threading.Thread(target=library.start, args=(0, 0x4111, ctypes.byref(flag)), daemon=True).start()
library.start(1, 0x111, ctypes.byref(flag))
while len(others()) < 2 or flag.value == 0:
    time.sleep(0.001)
last = None

def custom_kernel(data):
    global last
    print(json.dumps([others(), last in (None, flag.value)]))
    last = flag.value
    return torch.add(data[0], data[1], out=data[2])
"""
        seen = self.calls(TOOLS + start)
        self.assertEqual([[[], True]] * len(seen), seen)

    def test_threads_that_fork_without_end_are_stopped_between_any_two_calls(self) -> None:
        source = """
def forking():
    while True:
        try:
            if os.fork() == 0:
                signal.pause()
        except OSError:
            pass

for _ in range(3):
    threading.Thread(target=forking, daemon=True).start()

def custom_kernel(data):
    return torch.add(data[0], data[1], out=data[2])
"""
        verdict = self.judge(job(TOOLS + source))[-1]
        self.assertEqual("passed", verdict["verdict"], verdict)

    def test_a_child_whose_end_continues_the_worker_does_not_keep_it_running(self) -> None:
        # An orphaned process group with a stopped member gets SIGCONT. The worker leads the group, and its grandchild,
        # whose parent is in another group of the session, is the only process that keeps the group from being
        # orphaned.
        source = """
signal.signal(signal.SIGHUP, lambda *_: heard.append(True))
heard = []
os.setsid()

def tie():
    if os.fork() == 0:
        os.setpgid(0, 0)
        if os.fork() == 0:
            os.setpgid(0, 1)
        while True:
            signal.pause()
    while len(others()) < 2:
        time.sleep(0.001)

def custom_kernel(data):
    tie()
    print(len(heard))
    return torch.add(data[0], data[1], out=data[2])
"""
        events = self.judge(job(TOOLS + source, tests=[{"size": 9, "seed": seed} for seed in range(8)]))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        # SIGHUP is sent together with SIGCONT if the worker had stopped by then, which depends on the machine.
        heard = [event["head"].split() for event in events if event["type"] == "output"][0]
        if int(heard[-1]) == 0:
            self.skipTest("no worker had stopped when its child ended")

    def test_a_program_that_replaces_the_worker_is_rejected(self) -> None:
        self.refuse(job("import os\nos.execv('/bin/true', ['true'])\n" + RIGHT), "crash", "exit code 0")

    @unittest.skipUnless(X86, "the number is that of x86-64")
    def test_no_child_can_send_a_signal_of_its_choice_by_its_end(self) -> None:
        source = """
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(56, signal.SIGCONT, 0, 0, 0, 0), ctypes.get_errno(), sep="\\n")
"""
        self.assertEqual([-1, 1], self.calls(TOOLS + source + RIGHT, "test"))

    def test_children_cannot_signal_processes_and_have_no_network(self) -> None:
        source = '''
child = """
import os, socket
for act in (lambda: os.kill(1, 18), socket.socket):
    try: act()
    except PermissionError: print(1)
"""
print(json.dumps(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout.split()))
'''
        self.assertEqual([["1", "1"]], self.calls(TOOLS + source + RIGHT, "test"))


@unittest.skipUnless(X86, "the numbers are those of x86-64")
class WithoutUserNotification(unittest.TestCase):
    """A kernel without user notification of seccomp."""

    @staticmethod
    def forget_user_notification() -> None:
        """Makes the kernel refuse, like an old kernel, the flag with which a filter gets a listener."""
        instructions = [(0x20, 0, 0, 0), (0x15, 0, 3, 317), (0x20, 0, 0, 24), (0x45, 0, 1, 8)]
        instructions += [(0x06, 0, 0, 0x50000 | errno.EINVAL), (0x06, 0, 0, 0x7FFF0000)]
        code = b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
        program = struct.pack("HxxxxxxQ", len(instructions), ctypes.addressof(kept := ctypes.create_string_buffer(code)))
        libc = ctypes.CDLL(None, use_errno=True)
        if os.geteuid() != 0:
            libc.prctl(38, 1, 0, 0, 0)
        if libc.syscall(317, 1, 0, program) != 0 or not kept:
            raise OSError(ctypes.get_errno(), "seccomp")

    def test_it_judges_lets_no_submission_start_a_process_and_reports_that(self) -> None:
        tester = TesterProcess(before=self.forget_user_notification)
        self.addCleanup(tester.close)
        self.assertEqual("passed", tester.run(job(RIGHT))[-1]["verdict"])
        verdict = tester.run(job("import subprocess\nsubprocess.run(['/bin/true'])\n" + RIGHT))[-1]
        self.assertEqual("crash", verdict["failureClass"])
        self.assertIn("submissions can start no processes on this machine", verdict["message"])


class ProcessLimits(JudgeTest):
    def test_processes_end_at_the_limit(self) -> None:
        source = """
started = 0
try:
    while True:
        os.posix_spawn("/bin/sleep", ["sleep", "1000"], {})
        started += 1
except BlockingIOError:
    print(started)
"""
        self.assertEqual("63\n", self.printed(TOOLS + source + RIGHT))

    def test_endless_forks_end_with_the_run(self) -> None:
        source = """
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
        timeouts = {"prepare": 3, "test": 3, "benchmark": 3, "ranked": 3}
        verdict = self.judge(job(TOOLS + source, timeoutsS=timeouts))[-1]
        self.assertIn(verdict["failureClass"], ("out_of_memory", "timeout"))

    def test_memory_of_all_processes_together_ends_at_the_limit(self) -> None:
        source = """
size = 1 << 28
for _ in range(40):
    if os.fork() == 0:
        kept = ctypes.create_string_buffer(size)
        ctypes.memset(kept, 1, size)
        while True:
            signal.pause()
while True:
    time.sleep(1)
"""
        self.refuse(job(TOOLS + source, timeoutsS=PATIENT), "out_of_memory", "the processes that it started took more than")

    def test_memory_that_forks_share_counts_once(self) -> None:
        source = """
size = 1 << 30
kept = ctypes.create_string_buffer(size)
ctypes.memset(kept, 1, size)
children = []
for _ in range(20):
    children.append(os.fork())
    if children[-1] == 0:
        time.sleep(1)
        os._exit(0)
for child in children:
    os.waitpid(child, 0)
"""
        self.assertEqual("passed", self.judge(job(TOOLS + source + RIGHT))[-1]["verdict"])


if __name__ == "__main__":
    unittest.main()
