"""Runs unittest modules for Vitest, each in a fork of this process: `python serve_modules.py SOCKET`.

PyTorch takes a second of processor time to load, and a tester three to start. So both are shared by the modules of the
tester: PyTorch is loaded once, and a tester that a module used without a failure serves the next one.

Each connection to the socket is a module. Its first line is a `Request`; the rest is the protocol of run_module.py. The
connection ends with the process of the module, and the server with its standard input.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypedDict

from run_module import run_module

if TYPE_CHECKING:
    from support import TesterProcess

TESTER_TESTS = Path(__file__).resolve().parents[2] / "tester/tests"
#: In the source of a module that uses the shared tester.
USES_TESTER = re.compile(r"\bJudgeTest\b|shared_tester\b")


class Request(TypedDict):
    """A module of tests. `env`: its environment; `printed`: file to which it prints."""

    path: str
    cwd: str
    env: dict[str, str]
    printed: str


def load() -> bool:
    """Loads PyTorch and the tester. Returns whether they can be loaded."""
    if str(TESTER_TESTS) not in sys.path:
        sys.path.insert(0, str(TESTER_TESTS))
    try:
        import_module("support")
        import_module("kernelbot_tester.judge.host")
    except ImportError:
        return False
    return True


def is_intact(tester: TesterProcess) -> bool:
    """Whether the tester judges a correct kernel as it should."""
    support = sys.modules["support"]
    try:
        return tester.run(support.job(support.RIGHT))[-1]["verdict"] == "passed"
    except (AssertionError, OSError, ValueError):
        return False


class Server:
    """The testers, and the running modules with the tester that each may use."""

    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener
        self.testers: list[TesterProcess] = []
        #: By the pidfd of the module's process.
        self.running: dict[int, tuple[int, TesterProcess | None]] = {}

    def serve(self) -> None:
        """Serves until the standard input ends."""
        while True:
            ready, _, _ = select.select([0, self.listener, *self.running], [], [])
            if 0 in ready:
                break
            for process in self.running.keys() & set(ready):
                self.finish(process)
            if self.listener in ready:
                connection, _ = self.listener.accept()
                self.start(connection)
                connection.close()
        for pid, _ in self.running.values():
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        for tester in self.testers:
            tester.kill()

    def start(self, connection: socket.socket) -> None:
        """Forks the process of a module."""
        with connection.makefile() as lines:
            request: Request = json.loads(lines.readline())
        path = Path(request["path"])
        tester = self.idle_tester(path) if path.parent == TESTER_TESTS and load() else None
        pid = os.fork()
        if pid == 0:
            self.become_module(request, connection, tester)
        self.running[os.pidfd_open(pid)] = pid, tester

    def idle_tester(self, path: Path) -> TesterProcess | None:
        """Returns a tester that no running module may use; None where the module needs none, or none can be started, which
        the module's own tests report."""
        if not USES_TESTER.search(path.read_text()):
            return None
        used = [tester for _, tester in self.running.values()]
        for tester in self.testers:
            if tester not in used and tester.process.poll() is None:
                return tester
        try:
            self.testers.append(sys.modules["support"].TesterProcess())
        except (AssertionError, OSError):
            return None
        return self.testers[-1]

    def finish(self, process: int) -> None:
        """Reaps a module's process. Ends its tester unless the module reported by its exit code that it is intact."""
        pid, tester = self.running.pop(process)
        os.close(process)
        _, status = os.waitpid(pid, 0)
        if tester is not None and status != 0:
            self.testers.remove(tester)
            tester.kill()

    def become_module(self, request: Request, connection: socket.socket, tester: TesterProcess | None) -> NoReturn:
        """Runs the tests, in the forked process."""
        self.listener.close()
        for process in self.running:
            os.close(process)
        for other in self.testers:
            if other is not tester:
                other.forget()
        os.environ.clear()
        os.environ.update(request["env"])
        tempfile.tempdir = None
        os.chdir(request["cwd"])
        nothing, printed = os.open(os.devnull, os.O_RDONLY), os.open(request["printed"], os.O_WRONLY)
        for file, number in ((nothing, 0), (printed, 1), (printed, 2)):
            os.dup2(file, number)
        sys.argv = [request["path"]]
        if tester is not None:
            sys.modules["support"].lent.append(tester)
        passed = run_module(Path(request["path"]), connection)
        sys.exit(0 if passed and (tester is None or is_intact(tester)) else 1)


if __name__ == "__main__":
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(sys.argv[1])
        listening.listen()
        print("listening", flush=True)
        Server(listening).serve()
