"""Work in a process that ends with it: for what leaves something behind that the host may not have."""

from __future__ import annotations

import json
import os
import select
import signal
import traceback
from typing import Any, Callable

#: CUDA alone may take some seconds to start.
LIMIT_S = 30.0


def in_child(work: Callable[[], Any], limit_s: float = LIMIT_S) -> Any:
    """What it gives, by JSON, in a process that ends with it; None where it fails or takes too long."""
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
