"""Builds submissions in C++ and CUDA C++ in a separate cell and makes the worker load them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import Literal

from ..device.machine import compute_capability
from ..failures import Failed, NotJudged
from ..messages import Job
from ..processes.kernel_signature import Signature
from ..processes.problem_process import ProblemProcess
from ..processes.processor_time_limit import ProcessorTimeLimit
from ..processes.sandboxed_process import SandboxedProcess
from ..processes.worker_process import Worker
from ..processes.zygote_requests import file_in_memory
from ..worker.builder import FOLDERS
from ..worker.protocol import BuildRequest
from . import build_cache

#: First error message of a compiler or linker; nvcc writes the line number in parentheses.
ERROR = re.compile(r"^(submission\.\w+)[:(](\d+)\)?(?::\d+)?:? (?:fatal )?error\b[^:]*: (.+)$", re.MULTILINE)
LINKED = re.compile(r"(?:undefined reference to|multiple definition of|relocation truncated to fit:) [^;\n]+")
#: Errors of other programs. A message of `collect2` only repeats that there was one.
OTHER = re.compile(r"^(?!collect2: ).*\b(?:error|fatal) *: .+$", re.MULTILINE | re.IGNORECASE)


def load_compiled(
    job: Job,
    language: Literal["cpp", "cu"],
    worker: Worker,
    builder: SandboxedProcess,
    problem: ProblemProcess,
    limit: ProcessorTimeLimit,
) -> None:
    """Builds the submission and makes the worker load it. Raises Failed, NotJudged."""
    worker.wait_until_started()
    builder.wait_until_started()
    declared = job["problem"]["spec"]["languages"].get(language)
    if declared is None:
        raise NotJudged(f"the problem takes no .{language} files")
    folder = f"{builder.scratch_folder()}/job"
    request: BuildRequest = {
        "folder": folder,
        "files": headers(job["problem"]["files"]),
        "language": language,
        "flags": declared["flags"],
        "architecture": compute_capability() if language == "cu" else None,
    }
    key = build_cache.digest_of({**request, "folder": None, "compilers": compilers()}, builder.config.sandboxed)
    kept = build_cache.read(key)
    entry = file_in_memory("entry", kept or b"")
    try:
        builder.send(request, [entry])
        # Runs on another core while our entry is compiled.
        problem.open()
        try:
            answer = builder.receive(limit, "be compiled")
        except Failed as failure:
            raise NotJudged(f"nothing could be compiled: {failure.message}{printed_by(builder)}") from None
        if "unable" in answer:
            raise NotJudged(f"{answer['unable']}{printed_by(builder)}")
        # The submission was not yet in the cell, so the entry is the same for every account, and is cached for all.
        if kept is None:
            build_cache.write(key, os.pread(entry, os.fstat(entry).st_size, 0))
    finally:
        os.close(entry)
    problem.signature = Signature(str(answer["signature"]))
    library = os.memfd_create("submission.so", os.MFD_CLOEXEC)
    try:
        builder.send({"source": job["source"]}, [library])
        if not builder.receive(limit, "be compiled").get("built"):
            raise compile_error(language, printed_by(builder).strip())
        # The compilers' warnings precede the submission's own output.
        worker.printed, builder.printed = builder.printed, worker.printed
        worker.load_library(library, f"submission.{language}")
    finally:
        os.close(library)
    worker.wait_until_loaded(limit, "be loaded")
    worker.freeze(limit.deadline)
    if language == "cu" and problem.device.kind == "cpu":
        raise NotJudged("submission.cu compiles; kernels in CUDA C++ run on a GPU only, and this runner has none")


def compilers() -> list[str]:
    """Returns the version text of each compiler; nvcc uses g++."""
    programs = [program for name in ("g++", "nvcc") if (program := shutil.which(name, path=FOLDERS)) is not None]
    return [subprocess.run([program, "--version"], capture_output=True, text=True).stdout for program in programs]


def headers(files: dict[str, str]) -> dict[str, str]:
    """Returns the headers of a problem that a submission may include."""
    return {name: text for name, text in files.items() if name.endswith((".h", ".hpp", ".cuh"))}


def printed_by(builder: SandboxedProcess) -> str:
    """Returns what the compilers have printed since the last call, preceded by a line break; empty if nothing."""
    printed = builder.take_printed()
    if printed is None:
        return ""
    between = f"[... {printed.dropped} bytes left out ...]\n" if printed.dropped else ""
    return "\n" + between.join(printed.texts())


def compile_error(language: str, log: str) -> Failed:
    """Returns a failure with the first error as a sentence and the complete log as detail."""
    first = ERROR.search(log)
    if first is not None:
        return Failed("compile_error", f"{first[1]}, line {first[2]}: {first[3]}", log)
    other = LINKED.search(log) or OTHER.search(log)
    why = other[0] if other is not None else (log.splitlines() or ["the compiler reported no error"])[-1]
    return Failed("compile_error", f"submission.{language} cannot be built: {why}", log)
