"""`python3 -m kernelbot_tester.workshop`: answers requests, one JSON document a line on both sides.

A request is `{"problem": core's Problem, "target": NAME}`. The program confines itself before it reads one; where it cannot,
each answer is `{"unavailable": REASON}`. With `--unsafe-no-sandbox` it stays where it is. With `--digests` only the hashes of
a problem's inputs are given: a second interpreter, which shares no state with the first, is asked for them.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import Any, BinaryIO

from ..confined import confine
from ..native import BuildError
from ..problem import world_size_for
from ..sandbox import SandboxError
from .checking import checked, digests, in_a_fork
from .ranked import zygote
from .sizes import without_memory


MODULE = "kernelbot_tester.workshop"
#: It is in the sandbox already, or not to be.
INSIDE, OUTSIDE = "--inside", "--unsafe-no-sandbox"


class Witness:
    """The second interpreter, in which hash() differs."""

    def __init__(self) -> None:
        command = [sys.executable, "-B", "-m", MODULE, INSIDE, "--digests"]
        environment = {**os.environ, "PYTHONHASHSEED": "1"}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def ask(self, request: bytes) -> None:
        """Has it begin."""
        assert self.process.stdin is not None
        self.process.stdin.write(request)
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """What it found."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline() or b'{"failed": "the other process ended"}')


def control_for(request: dict[str, Any]) -> socket.socket | None:
    """The socket of what starts the ranks of a problem's reference; None where it has one alone, or none can be started."""
    if world_size_for(request["problem"]["spec"], request["target"]) == 1:
        return None
    try:
        return zygote().control
    except (SandboxError, BuildError) as reason:
        print(f"no ranks can be started: {reason}", file=sys.stderr)
        return None


def main() -> None:
    """Until the input ends."""
    if INSIDE not in sys.argv and OUTSIDE not in sys.argv:
        try:
            confine(MODULE, [INSIDE])
        except (SandboxError, BuildError) as reason:
            for _ in sys.stdin.buffer:
                print(json.dumps({"unavailable": str(reason)}), flush=True)
            return
    # What problems print must not get between the lines of the protocol.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    witness = None if "--digests" in sys.argv else Witness()
    if witness is not None:
        without_memory()  # Every fork has it then.
    requests: BinaryIO = sys.stdin.buffer
    for line in requests:
        request = json.loads(line)
        if witness is None:
            answer = in_a_fork(lambda: digests(request))
        else:
            witness.ask(line)
            # Read here, since a child that dies would leave the line to the next.
            other = witness.answer()
            control = control_for(request)
            answer = in_a_fork(lambda: checked(request, lambda: other, control))
        out.write(json.dumps(answer).encode() + b"\n")
        out.flush()


main()
