"""Inspects models in the sandbox (sandbox/confine.py): `python3 -m kernelbot_tester.kernelbench.inspection_process`.

The program reads requests, `InspectionRequest`, and answers
`{"seen": ModelInspection}` or `{"why": SENTENCE}`, one JSON document per line. The reader treats answers as untrusted and
validates their shape.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from dataclasses import asdict
from typing import IO, Any, TypedDict, cast, get_args

from ..messages import Degeneracy, ModelInspection, Precision
from ..processes.problem_answers import is_number
from ..sandbox.confine import confine
from ..sandbox.native_library import BuildError
from ..sandbox.sandbox import PACKAGE, SandboxError
from .model_inspection import WALL_LIMIT, DidNotRun, Limits, inspect_model

MODULE = "kernelbot_tester.kernelbench.inspection_process"
#: Additional timeout in seconds for the start of the process and its imports; maximum bytes of an answer.
START_S, ANSWER_BYTES = 600.0, 1 << 16
INSIDE, OUTSIDE = "--inside", "--unsafe-no-sandbox"


class InspectionRequest(TypedDict):
    """A model to inspect; `limits` are the fields of `Limits`."""

    source: str
    precision: Precision
    limits: dict[str, float]


class InspectionAnswer(TypedDict, total=False):
    """The properties of a model, or why it did not run."""

    seen: ModelInspection
    why: str


class InspectionProcess:
    """The program, started on first use."""

    def __init__(self, unsafe_no_sandbox: bool = False) -> None:
        self.arguments = [OUTSIDE] if unsafe_no_sandbox else []
        self.process: subprocess.Popen[bytes] | None = None

    def inspect_model(self, source: str, precision: Precision, limits: Limits) -> ModelInspection:
        """Returns the properties of a model. Raises DidNotRun."""
        request: InspectionRequest = {"source": source, "precision": precision, "limits": asdict(limits)}
        try:
            answer = self._request(request, limits)
            if isinstance(answer.get("why"), str):
                raise DidNotRun(answer["why"][:500])
            return parse_inspection(answer.get("seen"))
        except (OSError, ValueError, AttributeError, RecursionError):
            self.close()
            raise DidNotRun("the process that inspects models ended without a valid answer") from None

    def _request(self, request: InspectionRequest, limits: Limits) -> Any:
        """Returns the answer, unchecked."""
        if self.process is None:
            command = [sys.executable, "-B", "-m", MODULE, *self.arguments]
            self.process = subprocess.Popen(
                command, cwd=PACKAGE.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        deadline = time.monotonic() + limits.seconds * WALL_LIMIT[0] + WALL_LIMIT[1] + START_S
        return json.loads(line_of(self.process.stdout, deadline))

    def close(self) -> None:
        """Kills the program."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def line_of(stream: IO[bytes], deadline: float) -> bytes:
    """Returns the next line. Raises ValueError where none arrives in time, or it is too long."""
    line = b""
    while not line.endswith(b"\n"):
        if not select.select([stream], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise ValueError("no answer")
        part = os.read(stream.fileno(), ANSWER_BYTES)
        line += part
        if not part or len(line) > ANSWER_BYTES:
            raise ValueError("no line")
    return line


def parse_inspection(seen: Any) -> ModelInspection:
    """Validates an inspection by a process that may have been taken over. Raises ValueError."""
    counts = ("outputs", "inputBytes", "parameterBytes", "outputBytes")
    valid = (
        isinstance(seen, dict)
        and set(seen) == {*counts, "isRandom", "degenerate", "forwardS"}
        and all(type(seen[name]) is int and 0 <= seen[name] < 1 << 53 for name in counts)
        and isinstance(seen["isRandom"], bool)
        and seen["degenerate"] in (None, *get_args(Degeneracy))
        and is_number(seen["forwardS"])
        and seen["forwardS"] >= 0
    )
    if not valid:
        raise ValueError("not an inspection")
    return cast(ModelInspection, seen)


def answer_to(request: InspectionRequest) -> InspectionAnswer:
    """Inspects a model. Returns the answer to the request."""
    try:
        return {"seen": inspect_model(request["source"], request["precision"], Limits(**request["limits"]))}
    except DidNotRun as error:
        return {"why": str(error)}


def main() -> None:
    """Serves until the input ends."""
    unable: str | None = None
    if INSIDE not in sys.argv and OUTSIDE not in sys.argv:
        try:
            confine(MODULE, [INSIDE])
        except (SandboxError, BuildError) as reason:
            unable = f"the sandbox cannot be made: {reason}"
    # Models run in forks, which must not inherit either end of the protocol.
    out = os.fdopen(os.dup(1), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    for line in requests:
        out.write(json.dumps({"why": unable} if unable is not None else answer_to(json.loads(line))).encode() + b"\n")
        out.flush()


if __name__ == "__main__":
    main()
