"""Checks attacks, all of which must be refused or gain nothing, and honest kernels, all of which must pass."""

from __future__ import annotations

import random
import time
from typing import Iterator, Sequence

from .corpus import LANGUAGES, Kernel, corpus_problem, is_right, load_corpus
from .jobs import job, verdict_of
from .progress import log_progress
from .figures import Figure, Row
from .session import Session
from .tester import OutOfTime

#: Name of the row of each language.
NAMES = {"py": "attacks in Python", "cpp": "attacks in C++"}
#: Row for submissions that are not judged without a compiler: its name, and their description.
ABSENT = {
    "py": ("compiled by Python", "Python submissions that compile"),
    "cpp": (NAMES["cpp"], "C++ submissions"),
}
INSTALL = "To judge them, install g++ (Debian: apt install g++)"
#: Maximum number of misjudged kernels that are listed with their verdicts.
MOST_LISTED = 5
#: Interval of progress lines in seconds.
EVERY_S = 10.0


def attacks(session: Session) -> Iterator[Row]:
    """Judges the corpus in random order until the time is up, in the languages that this machine supports."""
    corpus = load_corpus(session.target)
    yield from judge_corpus(session, [kernel for kernel in corpus if kernel.is_judged_here])
    # One row for all kernels of a language whose compiler is missing; Python kernels may need one too.
    for language in sorted({kernel.language for kernel in corpus if not kernel.is_judged_here}, reverse=True):
        name, what = ABSENT[language]
        yield Row(name, None, f"no compiler: this machine cannot judge {what}", INSTALL, absent=True)


def judge_corpus(session: Session, corpus: Sequence[Kernel]) -> list[Row]:
    """Judges these kernels. Returns a row for each language."""
    problem = corpus_problem()
    wrong: list[tuple[Kernel, str]] = []
    judged: list[Kernel] = []
    reported_at = time.monotonic()
    for kernel in random.SystemRandom().sample(corpus, len(corpus)):
        try:
            events = session.run(job(problem, kernel.source, "benchmark", session.target, kernel.language))
        except OutOfTime:
            break
        judged.append(kernel)
        if not is_right(kernel, events, session.target):
            wrong.append((kernel, verdict_of(events)))
        if time.monotonic() - reported_at >= EVERY_S:
            log_progress(f"attacks: {len(judged)} of {len(corpus)}")
            reported_at = time.monotonic()
    return [
        row(
            [kernel for kernel in corpus if kernel.language == language],
            [kernel for kernel in judged if kernel.language == language],
            [(kernel, outcome) for kernel, outcome in wrong if kernel.language == language],
        )
        for language in LANGUAGES[session.target]
        if any(kernel.language == language for kernel in corpus)
    ]


def row(corpus: Sequence[Kernel], judged: Sequence[Kernel], wrong: Sequence[tuple[Kernel, str]]) -> Row:
    """Returns the row for the kernels of a language."""
    name = NAMES[corpus[0].language]
    honest = sum(kernel.expect == "passed" for kernel in judged)
    refused = sum(kernel.expect == "passed" for kernel, _ in wrong)
    figures = [
        Figure("attacks accepted", len(wrong) - refused, f"of {len(judged) - honest}"),
        Figure("honest kernels refused", refused, f"of {honest}"),
    ]
    left = len(corpus) - len(judged)
    if left:
        figures.append(Figure("kernels not run", left, f"of {len(corpus)}"))
    detail = f"{len(judged)} of {len(corpus)} kernels judged"
    if wrong:
        listed = "; ".join(f"{kernel.name} (expected {kernel.expect}): {outcome}" for kernel, outcome in wrong[:MOST_LISTED])
        others = ", ".join(kernel.name for kernel, _ in wrong[MOST_LISTED:])
        detail += f". Misjudged: {listed}" + (f"; and {others}" if others else "")
        fix = (
            "Do not rank here. An honest kernel that exceeded its time limit shows that the machine is too busy; judge any other "
            "alone (kernelbot eval) and report it to KernelBot's developers"
        )
        return Row(name, False, detail, fix, figures)
    if left:
        detail = f"not run: the time limit sufficed for {len(judged)} of {len(corpus)} kernels, in random order"
        return Row(name, None, detail, "Stop other work on the machine, or increase --minutes", figures)
    return Row(name, True, detail, None, figures)
