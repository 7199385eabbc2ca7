"""Checks of the machine's properties, and of what makes times vary."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

from ..device.machine import cpu_clock_mhz, cpu_model, operating_system
from ..doctor.resources import CPUS, clock
from ..sandbox.config import configure
from .accelerators import accelerators
from .load import Load
from .figures import Figure, Row
from .session import Session


def devices(session: Session) -> Iterator[Row]:
    """Yields the rows for the processor, its cores, its clock, and other load."""
    clock_mhz = cpu_clock_mhz()
    figures = [] if clock_mhz is None else [Figure("clock", clock_mhz, "MHz")]
    yield Row("processor", True, f"{cpu_model()}; {operating_system()}", None, figures)
    config = configure(sandboxed=True)
    yield cores(config.judge_core, config.worker_cores)
    yield governor()
    yield load_row(session.load)
    if session.accelerator is not None:
        yield from accelerators(session.accelerator)


def cores(judge_core: int | None, worker_cores: list[int], cpus: Path = CPUS) -> Row:
    """Checks the division of cores, and whether the judge, which polls busily, shares a physical core with a
    kernel."""
    if judge_core is None:
        fix = "Give the tester a second core: with one, judge and kernel share it"
        return Row("split of cores", False, f"only core {worker_cores[0]}, for judge and kernel", fix)
    shared = sorted(siblings(judge_core, cpus) & set(worker_cores))
    own = sorted(set(worker_cores) - set(shared))
    detail = f"judge on core {judge_core}, kernel on {ranges(worker_cores)}"
    if not shared:
        return Row("split of cores", True, f"{detail}; each a physical core of its own")
    detail += f"; {ranges(shared)} {'is' if len(shared) == 1 else 'are'} on the judge's physical core (SMT)"
    if not own:
        return Row("split of cores", True, f"{detail}; the machine has no other core")
    fix = (
        f"Start the tester without it: taskset -c {ranges([judge_core, *own])} ...; or turn SMT off: "
        "echo off > /sys/devices/system/cpu/smt/control"
    )
    return Row("split of cores", False, detail, fix)


def siblings(core: int, cpus: Path) -> set[int]:
    """Returns the logical processors of a physical core, the given one included."""
    try:
        text = (cpus / f"cpu{core}/topology/thread_siblings_list").read_text().strip()
    except OSError:
        return {core}
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def ranges(numbers: list[int]) -> str:
    """Formats numbers for `taskset -c`: `0,2-5`."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)


def governor(cpus: Path = CPUS) -> Row:
    """Checks that the processor's clock is not lowered when idle. The doctor reports the same as advice: it affects only
    how much times vary."""
    finding = clock(cpus)
    return Row("governor", finding["fix"] is None, finding["detail"], finding["fix"])


def load_row(load: Load) -> Row:
    """Returns the row for the load of the machine."""
    figures = [
        Figure("busy", load.busy, "% of the cores' time"),
        Figure("taken by the hypervisor", load.stolen, "% of the cores' time"),
        Figure("load average", load.average, "of a minute"),
    ]
    detail = "quiet" if load.quiet else "busy with other work: noise cannot be qualified under load"
    return Row("load", load.quiet, detail, LOADED, figures)


LOADED = (
    "Stop other programs (top lists them) and qualify again; if the hypervisor takes the time, use a dedicated host"
)
