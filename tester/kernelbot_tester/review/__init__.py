"""The static review: what in a source a moderator should look at.

    findings = review(source)
    python3 -m kernelbot_tester review FILE [--json]

It parses and never runs the source. It informs and decides nothing: a clean review proves nothing, since whoever wants
to hide a trick can, and a finding proves nothing either. What keeps results true is the judge (docs/judging.md).
"""

from __future__ import annotations

import warnings

from .finding import Finding
from .listed import check_lists
from .rules import CHECKS, LISTED
from .source import Source, Unreadable

__all__ = ["Finding", "MAX_FINDINGS", "MAX_SOURCE_BYTES", "review"]

#: As many as core's `Reviewed` takes; the gravest are kept.
MAX_FINDINGS = 50
#: The largest source that is read: core's limit of a submission.
MAX_SOURCE_BYTES = 1_000_000


def review(text: str) -> list[Finding]:
    """The findings in the order of the lines, one of each rule a line. A source that is no Python has none."""
    found: list[Finding] = []
    try:
        if len(text.encode("utf-8", "replace")) > MAX_SOURCE_BYTES:
            raise Unreadable(f"it is longer than {MAX_SOURCE_BYTES} bytes")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            source = Source(text)
        found.extend(check_lists(source, LISTED))
        for check in CHECKS:
            found.extend(check(source))
    except (SyntaxError, ValueError):
        # Importing it fails with the same error, and that one is reported.
        return []
    except (Unreadable, RecursionError, MemoryError) as reason:
        why = str(reason) if isinstance(reason, Unreadable) else "it nests too deeply"
        sentence = f"The review did not come to the end of this source: {why}."
        found.append(Finding("review.unread", "warning", 1, 1, sentence, ""))
    return bounded_findings(found)


def bounded_findings(found: list[Finding]) -> list[Finding]:
    """The gravest of them, each rule once a line."""
    first: dict[tuple[str, int], Finding] = {}
    for finding in sorted(found, key=lambda one: (one.line, one.column, one.rule, -one.gravity, one.sentence)):
        first.setdefault((finding.rule, finding.line), finding)
    gravest = sorted(first.values(), key=lambda one: (one.rule != "review.unread", -one.gravity))[:MAX_FINDINGS]
    return sorted(gravest, key=lambda one: (one.line, one.column, one.rule))
