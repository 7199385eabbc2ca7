"""Starts the host, and writes `ready` or, with the reason, `refused`."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys

from ..device.find import FoundAccelerator
from ..device.machine import describe_machine
from ..failures import NotJudged
from ..messages import TesterLine
from ..sandbox.config import configure
from ..sandbox.native_library import BuildError
from ..sandbox.sandbox import SandboxError, Zygote, prove
from ..worker import huge_pages
from ..worker.faults import NEVER


def serve(
    sandboxed: bool, accelerator: FoundAccelerator | None = None, rehearses: str | None = None, slots: int = 1
) -> int:
    """Runs the host until its input ends. Returns the exit code. With an accelerator, problems of all targets are
    judged; with a reason to rehearse, those of accelerators are rehearsed. `slots`: number of testers that share the
    machine."""
    # Output of problems must not be mixed with the lines of the protocol.
    out = os.dup(1)
    os.dup2(2, 1)
    sys.dont_write_bytecode = True
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        config = configure(sandboxed, accelerator, rehearses, slots)
        limit_threads(len(config.worker_cores))
        turn = config.turns.open()
        turn.untimed()
        zygote = Zygote(config)
        # PyTorch is imported here, while the zygote imports its own copy, so that a forked judge has it loaded.
        from .host import Host
        from ..device.probe import add_measured

        zygote.wait_until_warm()
        if not prove(zygote, config):
            print(f"kernelbot_tester: {NEVER}", file=sys.stderr, flush=True)
    except (SandboxError, BuildError, NotJudged) as error:
        advice = " (--unsafe-no-sandbox judges without a sandbox, for code that you trust)" if sandboxed else ""
        say(out, {"type": "refused", "reason": f"{error}{advice}"})
        return 1
    machine = describe_machine(sandboxed, accelerator)
    # Measured last, when the zygote is warm and no other process of the tester is busy.
    add_measured(machine, config)
    turn.close()
    gc.collect()
    gc.freeze()
    huge_pages.collapse()
    say(out, {"type": "ready", "machine": machine})
    Host(config, zygote, out).serve()
    return 0


def refuse(reason: str) -> int:
    """Writes why this machine does not serve. Returns the exit code."""
    say(1, {"type": "refused", "reason": reason})
    return 1


def say(file: int, line: TesterLine) -> None:
    """Writes a line of the protocol."""
    os.write(file, json.dumps(line).encode() + b"\n")


def limit_threads(cores: int) -> None:
    """Configures the threads of PyTorch's libraries, before it is imported. The probe measures this number of cores:
    OpenBLAS would use all of the machine's, whatever number PyTorch sets. Idle threads must not disturb a worker by
    spinning."""
    os.environ.update(OMP_WAIT_POLICY="passive", OPENBLAS_NUM_THREADS=str(cores), OPENBLAS_THREAD_TIMEOUT="4")
