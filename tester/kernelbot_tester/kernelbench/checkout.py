"""Finds the problems of a KernelBench checkout: `KernelBench/level1/19_ReLU.py`."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..messages import Level

#: As core's `SuiteSource.fileName`.
FILE_NAME = re.compile(r"([1-9]\d{0,2})_[\w.\-() ]{1,150}\.py", re.ASCII)
LEVELS: tuple[Level, ...] = (1, 2, 3)


@dataclass(frozen=True)
class Found:
    """File of a problem."""

    level: Level
    problem: int
    path: Path

    @property
    def key(self) -> str:
        """Level and problem: `1/19`."""
        return f"{self.level}/{self.problem}"


class NoCheckout(Exception):
    """The folder contains no problems; the message says what was searched for."""


def find_problems(folder: Path) -> tuple[list[Found], list[str]]:
    """Returns the problems in order, and sentences on files that were skipped. Raises NoCheckout."""
    base = folder / "KernelBench" if (folder / "KernelBench").is_dir() else folder
    found: dict[tuple[int, int], Found] = {}
    skipped: list[str] = []
    for level in LEVELS:
        for path in sorted((base / f"level{level}").glob("*.py")):
            name = FILE_NAME.fullmatch(path.name)
            if name is None:
                skipped.append(f"level{level}/{path.name}: its name is not like 19_ReLU.py")
                continue
            one = Found(level, int(name[1]), path)
            first = found.setdefault((one.level, one.problem), one)
            if first is not one:
                skipped.append(f"level{level}/{path.name}: {first.path.name} is problem {one.key} already")
    if not found:
        raise NoCheckout(f"{folder} has no problems, such as KernelBench/level1/19_ReLU.py")
    return [found[key] for key in sorted(found)], skipped


def origin_of(folder: Path) -> str:
    """Returns the origin of a checkout: remote URL and commit from Git, else the folder's name."""
    if shutil.which("git") is None:
        return folder.resolve().name

    def git(*words: str) -> str:
        result = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True)
        return result.stdout.strip() if result.returncode == 0 else ""

    # Without user name and password, which the URL may contain.
    address = re.sub(r"//[^/@]*@", "//", git("remote", "get-url", "origin"))
    commit = git("rev-parse", "HEAD")
    return f"{address} {commit}" if address and commit else folder.resolve().name
