"""The problems of a KernelBench checkout: `KernelBench/level1/19_ReLU.py`."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

#: As core's `SuiteSource.fileName`.
FILE_NAME = re.compile(r"([1-9]\d{0,2})_[\w.\-() ]{1,150}\.py", re.ASCII)
LEVELS = (1, 2, 3)


@dataclass(frozen=True)
class Found:
    """A problem's file."""

    level: int
    problem: int
    path: Path

    @property
    def key(self) -> str:
        """`1/19`"""
        return f"{self.level}/{self.problem}"


class NoCheckout(Exception):
    """The folder holds no problems; the message says what was looked for."""


def find_problems(folder: Path) -> tuple[list[Found], list[str]]:
    """The problems in order, and what was passed over, in words. Raises NoCheckout."""
    base = folder / "KernelBench" if (folder / "KernelBench").is_dir() else folder
    found: dict[tuple[int, int], Found] = {}
    passed_over: list[str] = []
    for level in LEVELS:
        for path in sorted((base / f"level{level}").glob("*.py")):
            name = FILE_NAME.fullmatch(path.name)
            if name is None:
                passed_over.append(f"level{level}/{path.name}: its name is not like 19_ReLU.py")
                continue
            one = Found(level, int(name[1]), path)
            first = found.setdefault((one.level, one.problem), one)
            if first is not one:
                passed_over.append(f"level{level}/{path.name}: {first.path.name} is problem {one.key} already")
    if not found:
        raise NoCheckout(f"{folder} has no problems: there is no file like KernelBench/level1/19_ReLU.py in it")
    return [found[key] for key in sorted(found)], passed_over


def origin_of(folder: Path) -> str:
    """Where a checkout came from: the address and the commit that Git knows, else the folder's name."""

    def git(*words: str) -> str:
        asked = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True)
        return asked.stdout.strip() if asked.returncode == 0 else ""

    # Without a name and a password that an address may hold.
    address = re.sub(r"//[^/@]*@", "//", git("remote", "get-url", "origin"))
    commit = git("rev-parse", "HEAD")
    return f"{address} {commit}" if address and commit else folder.resolve().name
