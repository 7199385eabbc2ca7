"""`python3 -m kernelbot_tester review FILE`: the findings for a person or a program."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from . import review


def review_file(file: str, as_json: bool) -> int:
    """Prints the findings of a file, `-` being the standard input. The exit code is 0 whatever they are."""
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
        # What comes of the source must not command the terminal.
        sentence, excerpt = (printable(text) for text in (finding.sentence, finding.excerpt))
        print(f"{finding.line}:{finding.column}: {finding.severity}: {sentence} [{finding.rule}]\n    {excerpt}")
    print("No findings." if not findings else "A review rejects nothing by itself.")
    return 0


def printable(text: str) -> str:
    """The text with everything escaped that is not printable."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
