"""`python3 -m kernelbot_tester review FILE`: prints the findings as text or JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from . import review


def review_file(file: str, as_json: bool) -> int:
    """Prints the findings of a file, `-` being the standard input. Returns the exit code: 0 for any findings, 2 if the
    file cannot be read."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        print(f"{file}: {error.strerror}", file=sys.stderr)
        return 2
    findings = review(data.decode("utf-8", "replace"))
    if as_json:
        print(json.dumps([finding.document() for finding in findings]))
        return 0
    for finding in findings:
        # Text from the source must not control the terminal.
        sentence, excerpt = (printable(text) for text in (finding.sentence, finding.excerpt))
        print(f"{finding.line}:{finding.column}: {finding.severity}: {sentence} [{finding.rule}]\n    {excerpt}")
    print("No findings." if not findings else "A review rejects nothing by itself.")
    return 0


def printable(text: str) -> str:
    """Returns the text with all non-printable characters escaped."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
