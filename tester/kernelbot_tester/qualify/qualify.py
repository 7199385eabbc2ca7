"""All checks, one after the other, each in its share of the time."""

from __future__ import annotations

import time
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Sequence

from ..device.find import FoundAccelerator
from ..doctor import findings
from .attacks import attacks
from .clock import clock
from .devices import devices
from .ipc import ipc
from .isolation import isolation
from .load import look
from .noise import noise
from .overhead import overhead
from .progress import tell
from .rates import rates
from .rows import Row
from .session import Session
from .tester import NoTester, OutOfTime


def needs(session: Session) -> Iterator[Row]:
    """What `doctor` looks at."""
    for finding in findings():
        advice = f"; {finding['fix']}" if finding["ok"] and finding["fix"] else ""
        yield Row(finding["name"], finding["ok"], finding["detail"] + advice, finding["fix"])


class Check(NamedTuple):
    """A check, and its part of the time; what it leaves is shared by those that follow."""

    run: Callable[[Session], Iterable[Row]]
    share: float


#: What needs a quiet machine stands before the corpus, which leaves none.
CHECKS = {
    "needs": Check(needs, 8),
    "devices": Check(devices, 1),
    "isolation": Check(isolation, 6),
    "ipc": Check(ipc, 6),
    "rates": Check(rates, 1),
    "clock": Check(clock, 8),
    "overhead": Check(overhead, 6),
    "noise": Check(noise, 24),
    "attacks": Check(attacks, 60),
}
#: Seconds kept for the end: a job that is cancelled, and the table.
KEPT_S = 15.0


def qualify(
    accelerator: FoundAccelerator | None, names: Sequence[str], minutes: float, command: Sequence[str] | None = None
) -> dict[str, Any]:
    """Core's `Qualification`. `command` starts another tester than that of this package."""
    started = time.monotonic()
    end = started + 60 * minutes - KEPT_S
    tell("looking how busy the machine is")
    rows: list[Row] = []
    with Session(look(), end, accelerator, command) as session:
        for place, name in enumerate(names):
            shares = [CHECKS[other].share for other in names[place:]]
            session.deadline = time.monotonic() + max(0.0, end - time.monotonic()) * shares[0] / sum(shares)
            tell(name)
            rows += rows_of(name, session)
        took_s = time.monotonic() - started
        return document(rows, set(names) == set(CHECKS), session.device, took_s, session.machine())


def document(
    rows: Sequence[Row], complete: bool, device: str, took_s: float = 0.0, machine: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Core's `Qualification` of these rows. `complete`: no check was left out."""
    ok = all(row.ok for row in rows)
    return {
        "ok": ok,
        "qualified": ok and complete,
        "device": device,
        "tookS": round(took_s, 1),
        "machine": machine,
        "checks": [row.document() for row in rows],
    }


def rows_of(name: str, session: Session) -> list[Row]:
    """The rows of a check; one that says why there are no others."""
    rows: list[Row] = []
    try:
        for row in CHECKS[name].run(session):
            rows.append(row)
    except NoTester as error:
        rows.append(Row(name, False, f"not looked at: {error}", "Mend what the message names (see also: doctor)"))
    except OutOfTime:
        rows.append(Row(name, False, "not done in its time", "Free the machine, or give more --minutes"))
    except Exception as error:
        fix = "Tell the makers of KernelBot: a check should say what is wrong instead of failing"
        rows.append(Row(name, False, f"the check failed: {type(error).__name__}: {error}", fix))
    return rows
