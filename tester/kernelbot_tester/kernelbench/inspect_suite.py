"""Inspects the problems of a checkout and writes them as a suite, core's `SuiteUpload`."""

from __future__ import annotations

import ast
import concurrent.futures
import functools
import hashlib
import importlib.util
import json
import multiprocessing
import os
import sys
from pathlib import Path
from typing import Callable, get_args

from ..messages import Degeneracy, ModelInspection, Precision, SuiteInspection, SuiteProfile, SuiteSource, SuiteUpload
from ..pip_command import pip_install
from .checkout import Found, NoCheckout, find_problems, origin_of
from .inspection_process import InspectionProcess
from .model_inspection import DidNotRun, Limits
from .options import InspectOptions
from .shrink import variants

#: In the profile smoke, a model is small enough once its inputs have at most this many elements and a call takes at
#: most this many seconds.
SMOKE_ELEMENTS, SMOKE_S = 30_000_000, 0.05
#: Memory limit of a model in bytes: a larger one fails at once instead of at its timeout.
SMOKE_BYTES = 2 << 30
#: Maximum seconds per call of a model for which no step reaches SMOKE_S.
SMOKE_MOST_S = 2.0
#: Hash of the inspecting code: cached results of other versions are ignored.
INSPECTOR = hashlib.sha256(
    b"".join(Path(__file__).with_name(name).read_bytes() for name in ("inspect_suite.py", "shrink.py", "model_inspection.py", "inspection_process.py"))
).hexdigest()
#: Timeout of an inspection in seconds: importing, building, generating inputs, a few calls.
INSPECTION_S: dict[SuiteProfile, float] = {"smoke": 12.0, "full": 300.0}


def inspect(options: InspectOptions) -> int:
    """Inspects the selected problems and writes the suite. Returns the exit code."""
    folder, out = Path(options.folder), Path(options.out)
    try:
        found, skipped = find_problems(folder)
    except NoCheckout as error:
        say(f"error: {error}")
        return 1
    for why in skipped:
        say(f"skipped      {why}")
    selected = [problem for problem in found if not options.only or problem.key in options.only]
    missing = sorted(set(options.only) - {problem.key for problem in selected})
    if missing:
        say(f"error: {folder} has no problem {', '.join(missing)}")
        return 1
    for name, importers in missing_modules(selected).items():
        say(f"not installed  {name}, imported by {keys_of(importers)}; install it first: {pip_install(name)}")
    known = Known(out.with_name(f"{out.name}.known"))
    sources = {problem: source for problem in selected if (source := known.find(problem, options)) is not None}
    if sources:
        say(f"{len(sources)} of {len(selected)} problems are known from {known.path}")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2 // options.jobs
    failed: dict[Found, SuiteSource] = {}
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        waiting = {
            pool.submit(inspect_one, problem, options.profile, options.precision, memory, options.unsafe_no_sandbox): problem
            for problem in selected
            if problem not in sources
        }
        for number, done in enumerate(concurrent.futures.as_completed(waiting), len(sources) + 1):
            problem, progress = waiting[done], f"{number:>{len(str(len(selected)))}} of {len(selected)}"
            try:
                sources[problem] = done.result()
                known.add(problem, options, sources[problem])
                say(f"{progress}  ran          {problem.key} {problem.path.name}: {summary(sources[problem]['inspection'])}")
            except DidNotRun as error:
                failed[problem] = not_inspected(problem, str(error))
                say(f"{progress}  did not run  {problem.key} {problem.path.name}: {error}")
    advice = "; they stay in the suite, not inspected" if failed and sources else ""
    say(f"{len(sources)} ran, {len(failed)} did not{listed_keys(list(failed))}{advice}")
    for degeneracy in get_args(Degeneracy):
        if degenerate := [problem for problem in sources if sources[problem]["inspection"]["degenerate"] == degeneracy]:
            say(f"{len(degenerate)} degenerate ({degeneracy}){listed_keys(degenerate)}")
    if not sources:
        return 1
    suite: SuiteUpload = {
        "name": options.name,
        "profile": options.profile,
        "precision": options.precision,
        "origin": options.origin or origin_of(folder),
        "targets": options.target or ["cpu"],
        "problems": [sources.get(problem) or failed[problem] for problem in selected],
    }
    out.write_text(json.dumps(suite, indent=1) + "\n", encoding="utf-8")
    say(f"written to {out}")
    return 0


@functools.cache
def inspection_process(unsafe_no_sandbox: bool) -> InspectionProcess:
    """Returns this process's inspection process."""
    return InspectionProcess(unsafe_no_sandbox)


def missing_modules(problems: list[Found]) -> dict[str, list[Found]]:
    """Returns the modules that are imported and not installed, with the problems that import them."""
    missing: dict[str, list[Found]] = {}
    for problem in problems:
        try:
            tree = ast.parse(problem.path.read_bytes())
        except (SyntaxError, ValueError):  # Reported when the problem is run.
            continue
        names = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module and not node.level}
        for name in sorted({name.partition(".")[0] for name in names}):
            if importlib.util.find_spec(name) is None:
                missing.setdefault(name, []).append(problem)
    return missing


def suite_source(found: Found, source: str, inspection: SuiteInspection) -> SuiteSource:
    """Returns a problem of the suite."""
    return {
        "level": found.level,
        "problem": found.problem,
        "fileName": found.path.name,
        "source": source,
        "inspection": inspection,
    }


def not_inspected(found: Found, why: str) -> SuiteSource:
    """Returns a problem whose model did not run. It stays in the suite, so that results remain fractions of the whole
    suite."""
    inspection: SuiteInspection = {
        "outputs": 1,
        "isRandom": False,
        "degenerate": None,
        "inputBytes": 0,
        "parameterBytes": 0,
        "outputBytes": 0,
        "forwardS": 0,
        "shrunk": {},
        "failure": why[:1000],
    }
    return suite_source(found, found.path.read_text(encoding="utf-8", errors="replace"), inspection)


def inspect_one(
    found: Found, profile: SuiteProfile, precision: Precision, memory: int, unsafe_no_sandbox: bool = False
) -> SuiteSource:
    """Returns a problem of the suite. Raises DidNotRun."""
    inspect_model = inspection_process(unsafe_no_sandbox).inspect_model
    try:
        source = found.path.read_text(encoding="utf-8")
    except ValueError:
        raise DidNotRun("the file is not UTF-8") from None
    if profile == "full":
        return suite_source(found, source, {**inspect_model(source, precision, Limits(INSPECTION_S["full"], memory)), "shrunk": {}})
    return suite_source(found, *shrink_model(source, precision, memory, inspect_model))


def shrink_model(
    source: str, precision: Precision, memory: int, inspect_model: Callable[[str, Precision, Limits], ModelInspection]
) -> tuple[str, SuiteInspection]:
    """Returns the first variant that is small enough, else the fastest that is acceptable. Raises DidNotRun."""
    limits = Limits(INSPECTION_S["smoke"], min(memory, SMOKE_BYTES), SMOKE_ELEMENTS, SMOKE_MOST_S)
    quickest: tuple[str, SuiteInspection] | None = None
    why: list[str] = []
    try:
        for text, shrunk in variants(source):
            try:
                inspection: SuiteInspection = {**inspect_model(text, precision, limits), "shrunk": shrunk}
            except DidNotRun as error:
                why.append(str(error))
                continue
            if quickest is None or inspection["forwardS"] < quickest[1]["forwardS"]:
                quickest = text, inspection
            if inspection["forwardS"] <= SMOKE_S:
                break
    except SyntaxError as error:
        raise DidNotRun(f"line {error.lineno}: {error.msg}") from None
    if quickest is None:
        raise DidNotRun(f"{why[0]}; in its smallest size: {why[-1]}" if why[0] != why[-1] else why[0])
    return quickest


def summary(inspection: SuiteInspection) -> str:
    """Formats an inspection in a line."""
    shrunk = ", ".join(f"{name} {before} to {after}" for name, (before, after) in inspection["shrunk"].items())
    return "; ".join(
        part
        for part in (
            f"{inspection['forwardS'] * 1e3:.1f} ms",
            f"{inspection['outputs']} outputs" if inspection["outputs"] > 1 else "",
            "random" if inspection["isRandom"] else "",
            f"degenerate ({inspection['degenerate']})" if inspection["degenerate"] else "",
            shrunk,
        )
        if part
    )


class Known:
    """Results of earlier inspections, one per line, so that an interrupted inspection can be resumed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.sources: dict[str, SuiteSource] = {}
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:  # Truncated by an interruption.
                continue
            self.sources[entry["digest"]] = entry["source"]

    def find(self, found: Found, options: InspectOptions) -> SuiteSource | None:
        """Returns the problem if its file was inspected with the same options by the same code, else None."""
        return self.sources.get(self._digest(found, options))

    def add(self, found: Found, options: InspectOptions, source: SuiteSource) -> None:
        """Appends a problem."""
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"digest": self._digest(found, options), "source": source}) + "\n")

    @staticmethod
    def _digest(found: Found, options: InspectOptions) -> str:
        key = [INSPECTOR, found.key, found.path.name, options.profile, options.precision]
        return hashlib.sha256(json.dumps(key).encode() + found.path.read_bytes()).hexdigest()


def keys_of(problems: list[Found]) -> str:
    """Formats the problems' keys in order: `1/19, 3/2`."""
    return ", ".join(problem.key for problem in sorted(problems, key=lambda problem: (problem.level, problem.problem)))


def listed_keys(problems: list[Found]) -> str:
    """Formats the problems' keys as `: 1/19, 3/2`; empty for none."""
    return f": {keys_of(problems)}" if problems else ""


def say(line: str) -> None:
    """Prints a line of progress."""
    print(line, file=sys.stderr, flush=True)
