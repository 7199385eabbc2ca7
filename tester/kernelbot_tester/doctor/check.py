"""Findings of the doctor: core's `Check`."""

from __future__ import annotations

from ..messages import Check

#: Which build of PyTorch is the right one depends on the accelerator and its driver.
PYTORCH_COMMAND = "https://pytorch.org/get-started/locally says the command"


def check(name: str, ok: bool, detail: str, fix: str) -> Check:
    """Returns one finding; `fix` is dropped where `ok`."""
    return {"name": name, "ok": ok, "detail": detail, "fix": None if ok else fix}


def note(name: str, detail: str, advice: str | None = None) -> Check:
    """Returns a finding that prevents nothing, with advice on what to improve."""
    return {"name": name, "ok": True, "detail": detail, "fix": advice}


def capitalized(text: str) -> str:
    """Returns the text with an upper-case first letter."""
    return text[:1].upper() + text[1:]
