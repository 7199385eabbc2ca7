"""Sanitises untrusted text for storage and transmission."""

from __future__ import annotations

#: Maximum length of a text in an event, in UTF-16 code units as the reader of the events counts. Core allows 20,000.
TEXT_LENGTH = 16_000


def bounded(text: object, length: int = TEXT_LENGTH) -> str:
    """Returns the value as a text without NULs and lone surrogates; the middle of a long one is left out."""
    clean = str(text).encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    if len(clean) * 2 <= length or len(clean.encode("utf-16-le")) // 2 <= length:
        return clean
    part = max(1, length // 4 - 30)
    return f"{clean[:part]}\n[... {len(clean) - 2 * part} characters left out ...]\n{clean[-part:]}"


class HeadAndTail:
    """Keeps the first and the last bytes of a stream and counts the bytes between them."""

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self.clear()

    def clear(self) -> None:
        """Discards everything."""
        self.head, self.tail, self.total = bytearray(), bytearray(), 0

    def add(self, data: bytes) -> None:
        """Adds the next bytes."""
        self.total += len(data)
        room = self.keep - len(self.head)
        self.head += data[:room]
        self.tail += data[room:] if room > 0 else data
        if len(self.tail) > self.keep:
            del self.tail[: -self.keep]

    @property
    def dropped(self) -> int:
        """Number of bytes between head and tail."""
        return self.total - len(self.head) - len(self.tail)

    def texts(self) -> tuple[str, str]:
        """Returns head and tail as texts."""
        return bounded(self.head.decode("utf-8", "replace")), bounded(self.tail.decode("utf-8", "replace"))
