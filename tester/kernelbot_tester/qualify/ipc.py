"""Checks memory that judge and worker share: data passes in both directions at odd and large sizes, and a worker
cannot resize it."""

from __future__ import annotations

from typing import Iterator

from .accelerators import shared_by_driver
from .isolation import PROBING, outcomes_of
from .jobs import PROBLEMS, job, load_problem, verdict_event, verdict_of
from .figures import Figure, Row
from .session import Session

#: Numbers of elements of the vectors; the largest shares 50 MB on a processor, and 3 GB on an accelerator.
SIZES = {"cpu": [1, 3, 127, 1023, 65_537, 4_194_305], "accelerator": [1, 3, 127, 1023, 65_537, 4_194_305, 268_435_457]}
FILES = "[f'/proc/self/fd/{n}' for n in range(64) if os.path.islink(f'/proc/self/fd/{n}')]"
MEMORY = f"next(os.open(f, os.O_RDWR) for f in {FILES} if os.readlink(f).startswith('/memfd'))"
#: Both act on the channel, which is sealed like every arena.
RESIZED = [f"os.truncate({MEMORY}, 0)", f"os.truncate({MEMORY}, 1 << 20)"]


def ipc(session: Session) -> Iterator[Row]:
    """Runs a correct kernel at all sizes. Its results are correct only if every element was transferred in both
    directions."""
    if session.accelerator is not None:
        yield from shared_by_driver(session.accelerator)
    problem = load_problem(PROBLEMS / "saxpy")
    sizes = SIZES[session.target]
    source = f"PROBES = {RESIZED!r}\n{PROBING}\n{problem['files']['kernel.py']}"
    tests = [{"size": size, "seed": seed} for seed, size in enumerate(sizes)]
    events = session.run(job(problem, source, "test", session.target, tests=tests, targets={session.target: {}}))
    finished = [event for event in events if event["type"] == "case_finished" and event["status"] == "passed"]
    figures = [
        Figure("sizes transferred in both directions", len(finished), f"of {len(sizes)}"),
        Figure("largest shared", 12 * max(sizes) / 1e6, "MB"),
    ]
    if verdict_event(events)["verdict"] != "passed":
        fix = "Provide memory that judge and worker can share: check /dev/shm, the container's memory limit, and a device's free memory"
        yield Row("shared memory", False, verdict_of(events), fix, figures)
        return
    outcomes = outcomes_of(events) or []
    sealed = len(outcomes) == len(RESIZED) and all(outcome in ("PermissionError", "OSError") for outcome in outcomes)
    detail = "transferred in both directions at every size" + ("" if sealed else f"; a worker can resize it: {outcomes}")
    yield Row("shared memory", sealed, detail, "Use a kernel with file sealing (memfd_create, Linux 3.17)", figures)
