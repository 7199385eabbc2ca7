"""Reads the corpus of `tester/attacks`: attacks and honest kernels, each with its expected result. `corpus.ts` there
does the same."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from ..messages import JudgeEvent, Language, Problem
from ..sandbox.config import search_path
from ..worker.builder import FOLDERS as BUILDERS
from .jobs import load_problem, speedup, timed_cases, verdict_event
from .tester import PACKAGES

ATTACKS = PACKAGES / "attacks"
#: Folders of the kernels of a target; the honest kernels are in a subfolder.
FOLDERS = {"cpu": [ATTACKS, ATTACKS / "cpp"], "accelerator": [ATTACKS / "gpu"]}
#: Language of a kernel file, by its extension.
LANGUAGE_OF: dict[str, Language] = {".py": "py", ".cpp": "cpp"}
#: Languages of the kernels of a target.
LANGUAGES: dict[str, list[Language]] = {"cpu": ["py", "cpp"], "accelerator": ["py"]}
#: Header of a Python kernel with the program that it starts.
NEEDS = re.compile(r"# needs: (\S+)\n")
HEAD = re.compile(r'(#|//) attack: \w+\n\1 expect: (refused|not built|no advantage)(?: over ([\d.]+))?\n(?:"""|// )')

#: A submission that consists of an attack which imports the problem's honest kernel.
ATTACK = """import sys
import types

for name, text in MODULES.items():
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, f"{name}.py", "exec"), module.__dict__)
custom_kernel = module.custom_kernel
"""


@dataclass(frozen=True)
class Kernel:
    """A file of the corpus. `expect` is `refused`, `not built` (compilers reject it), `no advantage` (it may pass,
    with correct results and no speedup over honest kernels) or `passed`. `language` is the file name extension.
    `largest_speedup`: the largest speedup over the reference without an advantage; None: that of honest kernels."""

    name: str
    expect: str
    source: str
    language: Language = "py"
    largest_speedup: float | None = None

    @property
    def is_judged_here(self) -> bool:
        """Whether this machine has the compiler that the kernel needs, if any, on the search path of a builder or a
        worker."""
        if self.language == "cpp":
            return shutil.which("g++", path=BUILDERS) is not None
        needs = NEEDS.match(self.source)
        return needs is None or shutil.which(needs[1], path=search_path()) is not None


def load_corpus(target: str) -> list[Kernel]:
    """Returns all kernels of a target. Raises ValueError where one does not declare its expected result."""
    kernels = [kernel for folder in FOLDERS[target] for kernel in [*load_attacks(folder), *load_honest(folder / "honest")]]
    return [*general_attacks(), *kernels] if ATTACKS in FOLDERS[target] else kernels


def general_attacks() -> list[Kernel]:
    """Returns the attacks that fit every problem, applied to the corpus's problem, as `attackOn` of
    `tester/node/problem-check` does."""
    honest = (ATTACKS / json.loads((ATTACKS / "corpus.json").read_text("utf-8"))["honest"]).read_text("utf-8")
    helper = (ATTACKS / "general" / "attacked" / "attacked.py").read_text("utf-8")
    return [
        replace(kernel, source=ATTACK.replace("MODULES", repr({"honest": honest, "attacked": f"OUTPUTS = 1\n{helper}", "attack": kernel.source})))
        for kernel in load_attacks(ATTACKS / "general")
    ]


def load_attacks(folder: Path) -> list[Kernel]:
    """Returns the attacks in a folder. Raises ValueError."""
    found: list[Kernel] = []
    for file in kernel_files(folder):
        source = file.read_text("utf-8")
        head = HEAD.match(source)
        if head is None:
            raise ValueError(f'{file} does not begin with "attack: GROUP", "expect: ..." and a sentence')
        found.append(Kernel(file.stem, head[2], source, LANGUAGE_OF[file.suffix], float(head[3]) if head[3] else None))
    return found


def load_honest(folder: Path) -> list[Kernel]:
    """Returns the honest kernels in a folder, which must pass."""
    return [
        Kernel(f"honest/{file.stem}", "passed", file.read_text("utf-8"), LANGUAGE_OF[file.suffix]) for file in kernel_files(folder)
    ]


def kernel_files(folder: Path) -> list[Path]:
    """Returns the kernel files of all languages."""
    return [file for file in sorted(folder.iterdir()) if file.suffix in LANGUAGE_OF]


def judged_languages(target: str) -> list[Language]:
    """Returns the languages of a target that this machine can judge."""
    return [language for language in LANGUAGES[target] if Kernel("", "passed", "", language).is_judged_here]


def corpus_problem() -> Problem:
    """Returns the problem of the corpus."""
    return load_problem(ATTACKS / "problem")


def largest_honest_speedup() -> float:
    """Returns the largest speedup of an honest kernel; a larger one shows an attack that succeeded."""
    return json.loads((ATTACKS / "corpus.json").read_text("utf-8"))["largestHonestSpeedup"]


def is_right(kernel: Kernel, events: list[JudgeEvent], target: str) -> bool:
    """Whether the judge's verdict is the expected one. A run that could not be judged never is."""
    last = verdict_event(events)
    verdict = last["verdict"]
    built = kernel.language == "py" or last["failureClass"] != "compile_error"
    if kernel.expect == "not built":
        return verdict == "failed" and not built
    if kernel.expect == "refused" or verdict == "failed" and kernel.expect == "no advantage" and target != "cpu":
        # How much work a device completes after it is stopped varies: a refused attack is as good as one that gains
        # nothing.
        return verdict == "failed" and built
    if verdict != "passed" or kernel.expect == "passed":
        return verdict == "passed"
    (rounds,) = timed_cases(events)
    return speedup(rounds, target) < (kernel.largest_speedup or largest_honest_speedup())
