"""Test support: the real tester in a separate process, and small problems for it."""

from __future__ import annotations

import atexit
import contextlib
import functools
import glob
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable

TESTER = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTER))

#: c = a + b in float32; the buffer is the last tensor.
ADDITION = """
import torch

def generate_input(size, seed):
    generator = torch.Generator().manual_seed(seed)
    a = torch.rand(size, generator=generator)
    b = torch.rand(size, generator=generator)
    return a, b, torch.empty(size)

def ref_kernel(data):
    a, b, _ = data
    return a + b

def cost(size, seed):
    return {"bytes": 12 * size, "operations": size}
"""

#: A correct submission for it.
RIGHT = """
import torch

def custom_kernel(data):
    a, b, c = data
    torch.add(a, b, out=c)
    return c
"""

#: Seconds of silence after which a tester counts as hung. A start, which takes three seconds of processor time, took more
#: than a minute on a machine with a load of 28.
SILENCE_S = 600

Event = dict[str, Any]


#: Time limits in seconds for jobs that compile, which takes long on a busy machine: too long to be reached.
PATIENT = {"prepare": 300, "test": 300, "benchmark": 300, "ranked": 300, "profile": 300}


def job(
    source: str, mode: str = "test", reference: str = ADDITION, files: dict[str, str] | None = None, **spec: Any
) -> dict:
    """Returns core's `Job`; `spec` replaces parts of the problem's."""
    return {
        "type": "run",
        "id": f"run-{time.monotonic_ns()}",
        "mode": mode,
        "target": "cpu",
        "problem": {
            "spec": {
                "name": "addition",
                "description": "c = a + b",
                "lang": "py",
                "templates": {},
                "tests": [{"size": 127, "seed": 4242}, {"size": 1000, "seed": 5236}],
                "benchmarks": [{"size": 1024, "seed": 54352}],
                "targets": {"cpu": {}},
                "outputs": 1,
                "tolerance": {"rtol": 1e-5, "atol": 1e-6, "reason": "one rounding"},
                "rankingBy": "geom",
                "stop": "rounds",
                "regime": "isolated",
                "timeoutsS": {"prepare": 20, "test": 20, "benchmark": 30, "ranked": 30, "profile": 30},
                **spec,
            },
            "files": {"task.yml": "", "reference.py": reference, "task.py": "", **(files or {})},
        },
        "source": source,
    }


#: Name of the process that keeps a core awake.
SPINNER = "awake"


class TesterProcess:
    """A `kernelbot_tester serve` process, used as by a runner."""

    def __init__(
        self, *arguments: str, before: Callable[[], None] | None = None, command: list[str] | None = None
    ) -> None:
        """`before`: called in the new process before the tester starts; `command`: starts another tester than the
        package's."""
        self.cache = tempfile.mkdtemp(prefix="kernelbot-cache-")
        self.process = subprocess.Popen(
            [sys.executable, *(command or ["-m", "kernelbot_tester", "serve"]), *arguments],
            cwd=TESTER,
            # Its own temporary folder, in which the testers of a machine take turns: it does not wait for those of other tests.
            env={**os.environ, "XDG_CACHE_HOME": self.cache, "TMPDIR": self.cache},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=before,
        )
        self.rest = b""
        self.first = self.line()

    def send(self, message: dict | bytes) -> None:
        """Writes a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def line(self) -> Any:
        """Returns the next line. Raises AssertionError when none arrives in time."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + SILENCE_S
        while b"\n" not in self.rest:
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                raise AssertionError("the tester said nothing")
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                raise AssertionError("the tester ended")
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def event(self, kind: str) -> Event:
        """Waits for the next event of this type."""
        while True:
            event = self.line()["event"]
            if event["type"] == kind:
                return event

    def run(self, message: dict) -> list[Event]:
        """Returns the events of a job, the verdict last."""
        self.send(message)
        events: list[Event] = []
        while not events or events[-1]["type"] != "verdict":
            line = self.line()
            assert line["id"] == message["id"], line
            events.append(line["event"])
        return events

    def child(self, word: str) -> int:
        """Returns the host's child with this word in its command: `bwrap`, or `serve` for the judge, a fork of the
        host."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        children = [pid for pid in children if name_of(int(pid)) != SPINNER]
        return next(int(pid) for pid in children if word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes())

    def worker(self) -> int:
        """Returns the running worker: the process in the deepest namespace."""

        def depth(pid: int) -> int:
            (line,) = [
                line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("NSpid")
            ]
            return len(line.split())

        return max(descendants(self.process.pid), key=depth)

    def forget(self) -> None:
        """Closes the pipes in this process only."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()

    def close(self) -> None:
        """Ends the tester as a runner does, by closing its input."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()
        shutil.rmtree(self.cache, ignore_errors=True)

    def kill(self) -> None:
        """Kills a tester that does not answer correctly, with all its processes."""
        pids = [self.process.pid, *descendants(self.process.pid)]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.forget()
        self.process.wait(20)
        shutil.rmtree(self.cache, ignore_errors=True)


def descendants(pid: int) -> list[int]:
    """Returns every process below this one, except processes that end meanwhile."""
    found = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def children(pid: int) -> list[int]:
    """Returns the processes that the threads of this one have started."""
    found = []
    for file in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, Path(file).read_text().split())
    return found


def name_of(pid: int) -> str:
    """Returns the name of a process, or an empty text if it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def settled_descendants(pid: int) -> set[int]:
    """Returns the descendants of a process once they have not changed for half a second: a tester prepares the
    processes of its next run when a run ends."""
    known, since = set(descendants(pid)), time.monotonic()
    while time.monotonic() < since + 0.5:
        time.sleep(0.02)
        now = set(descendants(pid))
        if now != known:
            known, since = now, time.monotonic()
    return known


def wait_until_gone(pids: list[int], timeout_s: float = 20) -> None:
    """Waits until all these processes have ended. Raises AssertionError on timeout."""
    deadline = time.monotonic() + timeout_s
    with contextlib.ExitStack() as opened:
        # All at once: while one is waited for, the number of another that has ended may be given to a new process.
        files: dict[int, int] = {}
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                files[pid] = os.pidfd_open(pid)
                opened.callback(os.close, files[pid])
        for pid, file in files.items():
            if not select.select([file], [], [], max(0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"process {pid} outlived its time")


#: A running tester for `shared_tester`, which outlives this process (tests/python/serve_modules.py).
lent: list[TesterProcess] = []


@functools.cache
def shared_tester() -> TesterProcess:
    """Returns one tester for all tests that do not change its state."""
    is_lent = bool(lent)
    tester = lent.pop() if is_lent else TesterProcess()
    if tester.first["type"] != "ready":
        raise unittest.SkipTest(tester.first["reason"])
    if not is_lent:
        atexit.register(lambda: tester.process.poll() is None and tester.close())
    return tester


def judge_by_shared_tester(message: dict) -> list[Event]:
    """Returns the events of a job. A tester that fails to answer is replaced, since the rest of its answer would reach
    the next test."""
    tester = shared_tester()
    try:
        return tester.run(message)
    except BaseException:
        shared_tester.cache_clear()
        tester.kill()
        raise


class JudgeTest(unittest.TestCase):
    """A test of verdicts. After the tests of a class, a correct kernel must pass: effects of a run on the tester
    persist, so this detects damage by any of them."""

    maxDiff = None

    @classmethod
    def tearDownClass(cls) -> None:
        verdict = judge_by_shared_tester(job(RIGHT))[-1]
        assert verdict["verdict"] == "passed", verdict

    def judge(self, message: dict) -> list[Event]:
        """Returns the events of a job."""
        return judge_by_shared_tester(message)

    def refuse(self, message: dict, failure: str, sentence: str) -> Event:
        """Checks that the job fails with this class and a message that contains the sentence. Returns the verdict."""
        verdict = self.judge(message)[-1]
        self.assertEqual(("failed", failure), (verdict["verdict"], verdict["failureClass"]), verdict)
        self.assertIn(sentence, verdict["message"])
        return verdict

    def printed(self, source: str, **spec: Any) -> str:
        """Returns the submission's printed output, for any verdict."""
        events = self.judge(job(source, **spec))
        return "".join(event["head"] + event["tail"] for event in events if event["type"] == "output")
