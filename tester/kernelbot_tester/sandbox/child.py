"""Runs work in a child process, so that its side effects (such as a CUDA context) do not stay in the host."""

from __future__ import annotations

import json
import os
import select
import signal
import traceback
from typing import Callable, TypeVar

#: Timeout in seconds, for a driver that hangs. CUDA's initialisation takes some seconds, and many on a busy machine.
LIMIT_S = 180.0

Answer = TypeVar("Answer")


def in_child(work: Callable[[], Answer], limit_s: float = LIMIT_S) -> Answer | None:
    """Returns the result of `work`, a JSON document that a forked child sends; None where it fails or takes longer than
    `limit_s`."""
    answers, answers_there = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(answers_there, json.dumps(work()).encode())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(answers_there)
    try:
        ready, _, _ = select.select([answers], [], [], limit_s)
        data = os.read(answers, 1 << 16) if ready else b""
    finally:
        os.close(answers)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return json.loads(data) if data else None
