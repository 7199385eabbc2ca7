"""The static review: points out parts of a source that a moderator should read.

    findings = review(source)
    python3 -m kernelbot_tester review FILE [--json]

The review parses the source and never runs it. Its findings inform moderators and decide nothing: a determined author
can hide from it, and a finding is not proof. The judge enforces correct results (docs/explanation/judging.md).
"""

from __future__ import annotations

import warnings

from .finding import ReviewFinding
from .listed import check_lists
from .rules import CHECKS, LISTED
from .source import Source, Unreadable

__all__ = ["ReviewFinding", "MAX_FINDINGS", "MAX_SOURCE_BYTES", "review", "unread"]

#: Maximum number of findings, as core's `Reviewed` accepts; the gravest are kept.
MAX_FINDINGS = 50
#: Maximum size of a source: core's limit of a submission.
MAX_SOURCE_BYTES = 1_000_000


def review(text: str) -> list[ReviewFinding]:
    """Returns the findings in line order, at most one of each rule per line. A source that is not valid Python has
    none."""
    found: list[ReviewFinding] = []
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
        # Importing the source fails with the same error, which is reported there.
        return []
    except (Unreadable, RecursionError, MemoryError) as reason:
        found.append(unread(str(reason) if isinstance(reason, Unreadable) else "it nests too deeply"))
    return bounded_findings(found)


def unread(why: str) -> ReviewFinding:
    """Returns the finding that the list of findings is incomplete."""
    return ReviewFinding("review.unread", "warning", 1, 1, f"The review did not come to the end of this source: {why}.", "")


def bounded_findings(found: list[ReviewFinding]) -> list[ReviewFinding]:
    """Returns the gravest findings, at most one of each rule per line."""
    first: dict[tuple[str, int], ReviewFinding] = {}
    for finding in sorted(found, key=lambda finding: (finding.line, finding.column, finding.rule, -finding.gravity, finding.sentence)):
        first.setdefault((finding.rule, finding.line), finding)
    gravest = sorted(first.values(), key=lambda finding: (finding.rule != "review.unread", -finding.gravity))[:MAX_FINDINGS]
    return sorted(gravest, key=lambda finding: (finding.line, finding.column, finding.rule))
