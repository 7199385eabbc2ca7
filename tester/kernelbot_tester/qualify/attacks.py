"""Kernels that cheat, all of which must be refused or gain nothing, and honest ones, all of which must pass."""

from __future__ import annotations

import random
from typing import Iterator, Sequence

from .corpus import Kernel, corpus_problem, is_right, load_corpus
from .jobs import job, verdict_of
from .progress import tell
from .rows import Figure, Row
from .session import Session
from .tester import OutOfTime

#: So many of those that went wrong are told with their verdicts.
MOST_TOLD = 5
#: The progress is told after so many.
EVERY = 20


def attacks(session: Session) -> Iterator[Row]:
    """The corpus in random order, as far as the time goes."""
    yield judge_corpus(session, load_corpus(session.target))


def judge_corpus(session: Session, corpus: Sequence[Kernel]) -> Row:
    """The row for these kernels."""
    problem = corpus_problem()
    wrong: list[tuple[Kernel, str]] = []
    judged: list[Kernel] = []
    for kernel in random.SystemRandom().sample(corpus, len(corpus)):
        try:
            events = session.run(job(problem, kernel.source, "benchmark", session.target, kernel.language))
        except OutOfTime:
            break
        judged.append(kernel)
        if not is_right(kernel, events, session.target):
            wrong.append((kernel, verdict_of(events)))
        if len(judged) % EVERY == 0:
            tell(f"attacks: {len(judged)} of {len(corpus)}")
    return row(corpus, judged, wrong)


def row(corpus: Sequence[Kernel], judged: Sequence[Kernel], wrong: Sequence[tuple[Kernel, str]]) -> Row:
    """What came of them."""
    honest = sum(kernel.expect == "passed" for kernel in judged)
    refused = sum(kernel.expect == "passed" for kernel, _ in wrong)
    figures = [
        Figure("attacks accepted", len(wrong) - refused, f"of {len(judged) - honest}"),
        Figure("honest kernels refused", refused, f"of {honest}"),
    ]
    if not judged:
        return Row("attacks", False, "none was judged in the time", "Give more --minutes, or free the machine", figures)
    detail = f"all {len(corpus)} kernels of the corpus"
    if len(judged) < len(corpus):
        detail = f"{len(judged)} of the corpus' {len(corpus)} kernels, in random order, as many as the time allowed"
    if wrong:
        told = "; ".join(f"{kernel.name} (to be {kernel.expect}): {came_of_it}" for kernel, came_of_it in wrong[:MOST_TOLD])
        others = ", ".join(kernel.name for kernel, _ in wrong[MOST_TOLD:])
        detail += f". Misjudged: {told}" + (f"; and {others}" if others else "")
    fix = (
        "Do not rank here. An honest kernel that ran out of time shows a machine that is too busy; for any other, judge it by "
        "itself (kernelbot eval) and tell the makers of KernelBot"
    )
    return Row("attacks", not wrong, detail, fix, figures)
