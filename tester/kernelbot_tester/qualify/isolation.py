"""Checks what a submission can access: probes run inside a worker and print the outcome of each."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Iterator, NamedTuple

from ..messages import JudgeEvent
from .jobs import PROBLEMS, job, load_problem, printed, verdict_of
from .figures import Figure, Row
from .session import Session
from .tester import MARK, PACKAGES

#: Runs each probe of the list PROBES, which is defined before it, and prints its value or the name of its exception.
PROBING = """
import ctypes, json, os, socket, subprocess, sys, threading
NOTE = "/tmp/kernelbot-note"
libc = ctypes.CDLL(None, use_errno=True)

def system_call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def outcome(expression):
    try:
        return eval(expression)
    except BaseException as error:
        return type(error).__name__

print(json.dumps([outcome(expression) for expression in PROBES], default=repr))
"""


class Probe(NamedTuple):
    """An action that must be impossible for a submission, its expression, and its harmless outcomes."""

    what: str
    expression: str
    harmless: tuple[Any, ...]


ABSENT, DENIED = ("FileNotFoundError",), ("PermissionError",)
PROCESSES = "[p for p in os.listdir('/proc') if p.isdigit() and int(p) != os.getpid()]"
CAPABILITIES = "[line for line in open('/proc/self/status') if line.startswith('Cap') and int(line.split()[1], 16)]"
PRIORITY = "os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + 1)"

PROBES = [
    Probe("import the reference", "__import__('reference')", ("ModuleNotFoundError",)),
    Probe("see the tester's files", f"os.stat({str(PACKAGES / 'kernelbot_tester')!r})", ABSENT),
    *(Probe(f"see {path}", f"os.stat({path!r})", ABSENT) for path in ("/etc/passwd", "/etc/shadow", "/var/log")),
    Probe("read the runner's environment", f"os.environ.get({MARK!r})", (None,)),
    Probe("see other processes", PROCESSES, ([],)),
    Probe("be root", "os.getuid() == 0", (False,)),
    Probe("have a capability", CAPABILITIES, ([],)),
    *(Probe(f"write to {path}", f"os.access({path!r}, os.W_OK)", (False,)) for path in ("/", "/usr", "/dev", "/proc/sys")),
    Probe("open a socket", "socket.socket()", DENIED),
    Probe("signal a process", "os.kill(1, 0)", DENIED),
    Probe("move to another core", "os.sched_setaffinity(0, {0})", DENIED),
    Probe("change its priority", PRIORITY, DENIED),
]
#: Dangerous system calls, by their numbers on x86-64; with 16 as the first argument none of them has an effect.
X86_CALLS = {
    **{"ptrace": 101, "process_vm_readv": 310, "unshare": 272, "mount": 165, "bpf": 321, "perf_event_open": 298},
    **{"keyctl": 250, "userfaultfd": 323, "io_uring_setup": 425, "pidfd_open": 434},
}
if os.uname().machine == "x86_64":
    PROBES.extend(
        Probe(f"call {name}", f"system_call({number}, 16, 0, 0, 0)", DENIED) for name, number in X86_CALLS.items()
    )
#: Two jobs: the first leaves a file, the second searches for it.
LEAVE = [Probe("leave a note", "open(NOTE, 'w').write('note')", (4,))]
FIND = [Probe("find the note of an earlier submission", "os.path.exists(NOTE) and not os.unlink(NOTE)", (False,))]

FIX = "Do not rank here: the sandbox is not effective. Check whether the tester was started with --unsafe-no-sandbox"


def isolation(session: Session) -> Iterator[Row]:
    """Runs all probes in two workers, one after the other, while files exist in folders of the machine's users."""
    with contextlib.ExitStack() as files:
        yield probed(session, [*PROBES, *(foreign_file(folder, files) for folder in folders()), *LEAVE])


def folders() -> list[str]:
    """Returns folders where users of the machine have files, and that are writable. A worker has its own /tmp."""
    candidates = sorted({str(Path.home()), tempfile.gettempdir(), "/var/tmp"})
    return [folder for folder in candidates if os.access(folder, os.W_OK)]


def foreign_file(folder: str, files: contextlib.ExitStack) -> Probe:
    """Creates a file, readable by any user of the machine, that exists until `files` is closed. Returns the probe that
    reads it."""
    file = files.enter_context(tempfile.NamedTemporaryFile(dir=folder, prefix="kernelbot-"))
    os.chmod(file.name, 0o644)
    return Probe(f"read a file in {folder}", f"open({file.name!r}).read()", (*ABSENT, *DENIED))


def probed(session: Session, probes: list[Probe]) -> Row:
    """Returns the row for these probes."""
    problem = load_problem(PROBLEMS / "saxpy")
    escapes: list[str] = []
    for probes_of_job in (probes, FIND):
        source = f"PROBES = {[probe.expression for probe in probes_of_job]!r}\n{PROBING}\n{problem['files']['kernel.py']}"
        events = session.run(job(problem, source, "test", session.target))
        outcomes = outcomes_of(events)
        if outcomes is None:
            return Row("isolation", False, f"the probes were not run: {verdict_of(events)}", FIX)
        escapes += [probe.what for probe, outcome in zip(probes_of_job, outcomes) if outcome not in probe.harmless]
    count = len(probes)
    detail = f"a submission can {'; '.join(escapes)}" if escapes else "a submission reaches only its own files and inputs"
    return Row("isolation", not escapes, detail, FIX, [Figure("successful probes", len(escapes), f"of {count}")])


def outcomes_of(events: list[JudgeEvent]) -> list[Any] | None:
    """Returns the outcomes that the probes printed; None where they are missing."""
    try:
        return json.loads(printed(events))
    except ValueError:
        return None
