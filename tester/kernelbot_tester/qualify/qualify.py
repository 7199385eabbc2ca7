"""Runs all checks, one after the other, each within its share of the time."""

from __future__ import annotations

import contextlib
import signal
import time
from typing import Callable, Generator, Iterable, Iterator, Literal, NamedTuple, Sequence

from ..device.find import FoundAccelerator
from ..doctor.doctor import findings
from ..messages import Machine, Qualification
from .attacks import attacks
from .clock import clock
from .corpus import LANGUAGES, judged_languages
from .devices import devices
from .ipc import ipc
from .isolation import isolation
from .load import measure_load
from .noise import noise
from .overhead import overhead
from .progress import log_progress
from .rates import rates
from .figures import Row
from .session import Session
from .tester import CANCEL_S, NoTester, OutOfTime


def needs(session: Session) -> Iterator[Row]:
    """Yields the findings of `doctor`."""
    for finding in findings(needs_accelerator=session.accelerator is not None):
        advice = f"; {finding['fix']}" if finding["ok"] and finding["fix"] else ""
        yield Row(finding["name"], finding["ok"], finding["detail"] + advice, finding["fix"])


class Check(NamedTuple):
    """A check, and its share of the time. Time that it does not use is divided among the checks that follow."""

    run: Callable[[Session], Iterable[Row]]
    share: float


#: Checks that need a quiet machine come before the corpus, which loads it.
CHECKS = {
    "needs": Check(needs, 20),
    "devices": Check(devices, 20),
    "isolation": Check(isolation, 20),
    "ipc": Check(ipc, 10),
    "rates": Check(rates, 5),
    "clock": Check(clock, 10),
    "overhead": Check(overhead, 10),
    "noise": Check(noise, 30),
    "attacks": Check(attacks, 90),
}
#: Seconds reserved for the end: a job that is cancelled, and the table.
KEPT_S = 15.0
#: Seconds that a check may take to end by itself after its time is up.
GRACE_S = CANCEL_S + 2
#: Display names of languages.
CALLED = {"py": "Python", "cpp": "C++"}


def qualify(
    accelerator: FoundAccelerator | None, names: Sequence[str], minutes: float, command: Sequence[str] | None = None
) -> Qualification:
    """Runs the checks and returns their results. `command` starts another tester than this package's."""
    started = time.monotonic()
    end = started + 60 * minutes - KEPT_S
    log_progress("measuring the load of the machine")
    rows: list[Row] = []
    with Session(measure_load(), end, accelerator, command) as session:
        for place, name in enumerate(names):
            shares = [CHECKS[other].share for other in names[place:]]
            session.deadline = time.monotonic() + max(0.0, end - time.monotonic()) * shares[0] / sum(shares)
            log_progress(name)
            rows += rows_of(name, session)
        took_s = time.monotonic() - started
        sentence = verdict(rows, set(names) == set(CHECKS), session.target)
        return document(rows, set(names) == set(CHECKS), session.device, sentence, took_s, session.machine())


def verdict(rows: Sequence[Row], complete: bool, target: str) -> str:
    """Returns the conclusion of these rows as a sentence. `complete`: no check was left out."""
    failed = [row.name for row in rows if row.ok is False]
    not_run = [row.name for row in rows if row.ok is None and not row.absent]
    if failed or not_run:
        names = [f" {what}: {', '.join(those)}." for what, those in (("Failed", failed), ("Not run", not_run)) if those]
        return f"This machine is not qualified{'' if failed else ' yet'}.{''.join(names)}"
    if not complete:
        return "The selected checks passed. Run all checks to qualify this machine."
    here = judged_languages(target)
    elsewhere = "".join(f"; {CALLED[one]} is not supported" for one in LANGUAGES[target] if one not in here)
    return f"This machine is qualified for ranked submissions in {' and '.join(CALLED[one] for one in here)}{elsewhere}."


@contextlib.contextmanager
def interrupted_at(deadline: float) -> Generator[None, None, None]:
    """Raises OutOfTime in its body at the deadline, for a check that waits for an event that never occurs."""

    def interrupt(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, max(0.001, deadline - time.monotonic()))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def document(
    rows: Sequence[Row],
    complete: bool,
    device: Literal["cpu", "cuda"],
    sentence: str,
    took_s: float = 0.0,
    machine: Machine | None = None,
) -> Qualification:
    """Returns the results for JSON. `complete`: no check was left out."""
    ok = all(row.ok or row.absent for row in rows)
    return {
        "ok": ok,
        "qualified": ok and complete,
        "verdict": sentence,
        "device": device,
        "tookS": round(took_s, 1),
        "machine": machine,
        "checks": [row.document() for row in rows],
    }


def rows_of(name: str, session: Session) -> list[Row]:
    """Returns the rows of a check. A check that fails adds a row with the reason."""
    rows: list[Row] = []
    try:
        with interrupted_at(session.deadline + GRACE_S):
            for row in CHECKS[name].run(session):
                rows.append(row)
    except NoTester as error:
        rows.append(Row(name, False, f"not checked: {error}", "Fix the cause in the message; kernelbot doctor shows details"))
    except OutOfTime:
        rows.append(Row(name, None, "not run: it exceeded its time limit", "Stop other work on the machine, or increase --minutes"))
    except Exception as error:
        fix = "Report this to the developers of KernelBot: the check itself crashed"
        rows.append(Row(name, False, f"the check failed: {type(error).__name__}: {error}", fix))
    return rows
