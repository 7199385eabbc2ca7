"""Constructors of findings of the problem checks."""

from __future__ import annotations

from ..messages import ProblemFinding

#: Remedy of a problem whose own code fails.
CONTRACT = "Fix it; docs/reference/problem-files.md has the contract"


def error(check: str, where: str, what: str, todo: str) -> ProblemFinding:
    """Returns a finding with which the problem must not be opened."""
    return {"severity": "error", "check": check, "where": where, "what": what, "todo": todo}


def warning(check: str, where: str, what: str, todo: str) -> ProblemFinding:
    """Returns a finding that a person should review."""
    return {"severity": "warning", "check": check, "where": where, "what": what, "todo": todo}


def note(check: str, where: str, what: str, todo: str | None = None) -> ProblemFinding:
    """Returns a finding on what could not be checked, and why."""
    return {"severity": "note", "check": check, "where": where, "what": what, "todo": todo}
