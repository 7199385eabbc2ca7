"""`python3 -m kernelbot_tester.problem_check`: answers requests, one JSON document per line in both directions.

Requests are core's `ProblemInspectionRequest`, answers core's `ProblemInspection`. The program enters the sandbox before
it reads a request; where that fails, each answer is `{"unavailable": REASON}`. With `--unsafe-no-sandbox` it runs unconfined. With `--digests`
it returns only the hashes of a problem's inputs: these are compared with the hashes from a second interpreter, which
shares no state with the first.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import BinaryIO

from ..messages import ProblemInspection, ProblemInspectionFailed, ProblemInspectionRequest
from ..problem.problem import world_size_for
from ..sandbox.confine import confine
from ..sandbox.native_library import BuildError
from ..sandbox.sandbox import SandboxError
from .check_problem import Digests, checked, digests, in_a_fork
from .multi_rank_workers import zygote
from .size_checks import without_memory


MODULE = "kernelbot_tester.problem_check"
#: The process is already in the sandbox, or must stay outside.
INSIDE, OUTSIDE = "--inside", "--unsafe-no-sandbox"


class Witness:
    """A second interpreter, with another hash seed."""

    def __init__(self) -> None:
        command = [sys.executable, "-B", "-m", MODULE, INSIDE, "--digests"]
        # An author's own PYTHONHASHSEED must not be the same.
        environment = {**os.environ, "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def ask(self, request: bytes) -> None:
        """Sends a request."""
        assert self.process.stdin is not None
        self.process.stdin.write(request)
        self.process.stdin.flush()

    def answer(self) -> Digests | ProblemInspectionFailed:
        """Returns the answer to the last request."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline() or b'{"failed": "the other process ended"}')


def control_for(request: ProblemInspectionRequest) -> socket.socket | None:
    """Returns the zygote's socket for the ranks of a problem's reference; None for a single-rank problem, or where the
    zygote cannot be started."""
    if world_size_for(request["problem"]["spec"], request["target"]) == 1:
        return None
    try:
        return zygote().control
    except (SandboxError, BuildError) as reason:
        print(f"no ranks can be started: {reason}", file=sys.stderr)
        return None


def main() -> None:
    """Serves until the input ends."""
    if INSIDE not in sys.argv and OUTSIDE not in sys.argv:
        try:
            confine(MODULE, [INSIDE])
        except (SandboxError, BuildError) as reason:
            for _ in sys.stdin.buffer:
                print(json.dumps({"unavailable": str(reason)}), flush=True)
            return
    # Output of problems must not be mixed with the lines of the protocol.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    witness = None if "--digests" in sys.argv else Witness()
    if witness is not None:
        without_memory()  # Created before the forks, which then inherit it.
    requests: BinaryIO = sys.stdin.buffer
    for line in requests:
        request: ProblemInspectionRequest = json.loads(line)
        answer: ProblemInspection | Digests
        if witness is None:
            answer = in_a_fork(lambda: digests(request))
        else:
            witness.ask(line)
            # Read in the parent: if the child died before reading, the line would be taken for the next answer.
            other = witness.answer()
            control = control_for(request)
            answer = in_a_fork(lambda: checked(request, other, control))
        out.write(json.dumps(answer).encode() + b"\n")
        out.flush()


main()
