"""Names of targets."""

from __future__ import annotations


def is_processor(target: str) -> bool:
    """Whether a target is a processor, as core's `deviceOf`."""
    return target == "cpu" or target.startswith("cpu-")
