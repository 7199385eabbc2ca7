"""Rules that are lists of names: using one of them is a finding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Iterator

from .finding import ReviewFinding, Severity
from .source import Source


@dataclass(frozen=True)
class Listed:
    """A rule. A name includes everything below it: `socket` includes `socket.create_connection`."""

    rule: str
    severity: Severity
    #: Explanation for a judge or a reader; `{}` is replaced by the name that was used.
    sentence: str
    names: frozenset[str] = field(default=frozenset())
    #: Attribute names, on any object.
    attributes: frozenset[str] = field(default=frozenset())


def words(text: str) -> frozenset[str]:
    """Returns the words of a text."""
    return frozenset(text.split())


def check_lists(source: Source, rules: Iterable[Listed]) -> Iterator[ReviewFinding]:
    """Yields the findings of all lists, in one pass."""
    by_name = {name: rule for rule in rules for name in rule.names}
    by_attribute = {name: rule for rule in rules for name in rule.attributes}
    # `from gc import *` may import any name of the module.
    by_module = {f"{name.rpartition('.')[0]}.*": rule for name, rule in by_name.items() if "." in name}
    for use in source.uses():
        parts = use.name.split(".")
        above = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        rule = next((by_name[name] for name in above if name in by_name), None)
        rule = rule or by_attribute.get(use.attribute)
        if rule is None and use.name.endswith(".*"):
            rule = by_module.get(use.name)
        if rule is not None:
            yield source.finding(rule.rule, rule.severity, use.node, rule.sentence, use.name or use.attribute)
