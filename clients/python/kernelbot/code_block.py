"""Code in the reply of a model."""

from __future__ import annotations

import re
from typing import Any, Mapping, Sequence

#: Maximum size of a source that the server accepts, in bytes of UTF-8.
MAX_SOURCE_BYTES = 1_000_000

_OPENING = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")


def last_code_block(text: str) -> str | None:
    """Returns the content of the last fenced code block of a Markdown text; None if there is none that could be a source.

    Fences are those of CommonMark: three or more backticks or tildes; an unclosed block ends with the text. `is_source` says
    what could be a source.

    Example:
        >>> last_code_block("Try this:\\n```python\\nx = 1\\n```\\nDone.")
        'x = 1\\n'
    """
    block: list[str] | None = None
    fence = ""
    for line in text.split("\n"):
        if fence:
            assert block is not None
            closing = line.strip(" \r")
            if len(closing) >= len(fence) and set(closing) == {fence[0]}:
                fence = ""
            else:
                block.append(line + "\n")
        else:
            opening = _OPENING.match(line)
            if opening is not None:
                block, fence = [], opening[1]
    code = "".join(block or [])
    return code if is_source(code) else None


def is_source(code: str) -> bool:
    """Returns whether the server accepts a text as code: it is not blank, has at most 1 MB of UTF-8, and contains neither NUL nor
    an unpaired surrogate."""
    try:
        return bool(code.strip()) and "\0" not in code and len(code.encode()) <= MAX_SOURCE_BYTES
    except UnicodeEncodeError:
        return False


def completion_text(completion: str | Sequence[Mapping[str, Any]]) -> str:
    """Returns the text of a completion: the text itself, or the content of the last message of the assistant in a chat."""
    if isinstance(completion, str):
        return completion
    replies = [message.get("content") for message in completion if message.get("role") == "assistant"]
    content = replies[-1] if replies else ""
    if isinstance(content, str) or content is None:
        return content or ""
    return "".join(part.get("text") or "" for part in content)
